/** Entry of the server's bundle. */
import { main } from './main.ts'

await main()
