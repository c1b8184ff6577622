internal import Statistics

extension Calculator {
  static let specialFunctions: [String: Method] = [
    "normal_cdf_sf": { fields in
      let x = try fields.number("x")
      return [
        "cdf": NormalDistribution.cdf(x), "sf": NormalDistribution.survival(x),
        "log_cdf": NormalDistribution.logCDF(x),
      ]
    },
    "normal_quantile": { fields in ["z": NormalDistribution.quantile(try fields.share("p"))] },
    "lgamma_digamma": { fields in
      let x = try fields.positive("x")
      return [
        "lgamma": Gamma.log(x), "digamma": Gamma.digamma(x),
        "trigamma": Gamma.trigamma(x),
      ]
    },
    "log_beta": { fields in ["log_beta": logBeta(try fields.shape("a"), try fields.shape("b"))] },
    "beta_cdf_sf": { fields in
      let (beta, x) = (try fields.beta(), try fields.probability("x"))
      return ["cdf": beta.cdf(x), "sf": beta.survival(x)]
    },
    "beta_quantile": { fields in ["x": try fields.beta().quantile(try fields.probability("p"))] },
    "student_t_sf": { fields in
      let (t, degrees) = (try fields.number("t"), try fields.shape("df"))
      return [
        "sf": StudentDistribution.survival(t, degrees: degrees),
        "two_sided_p": StudentDistribution.twoSidedP(t, degrees: degrees),
      ]
    },
    "student_t_quantile": { fields in
      ["t": StudentDistribution.quantile(try fields.share("p"), degrees: try fields.shape("df"))]
    },
    "chi_square_sf": { fields in
      ["sf": ChiSquareDistribution.survival(try fields.number("x"), degrees: try fields.shape("df"))]
    },
    "binomial_pmf_cdf": { fields in
      let law = BinomialDistribution(trials: try fields.count("n"), probability: try fields.probability("p"))
      let k = try fields.count("k")
      return [
        "log_pmf": law.logProbability(of: k), "pmf": law.probability(of: k),
        "cdf": law.cdf(k),
      ]
    },
  ]
}

extension Fields {
  func beta() throws -> BetaDistribution { BetaDistribution(a: try shape("a"), b: try shape("b")) }
}
