import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compressText } from '../src/server/http/static/responses.ts'

const COMPRESSIBLE = /\.(js|css|svg|json|txt)$/

/** Writes `.br` and `.gz` beside each text file, so that the server never compresses an asset. */
export async function compressAssets(directory: string): Promise<void> {
  for (const name of readdirSync(directory).filter((file) => COMPRESSIBLE.test(file))) {
    const file = join(directory, name)
    const { br, gzip } = await compressText(readFileSync(file))
    if (br) writeFileSync(`${file}.br`, br)
    if (gzip) writeFileSync(`${file}.gz`, gzip)
  }
}
