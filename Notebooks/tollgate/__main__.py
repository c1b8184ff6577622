from tollgate._program import main

main()
