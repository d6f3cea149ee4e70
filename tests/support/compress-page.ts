import { afterAll } from 'vitest'
import { compressQuickly, compressText, type Encodings } from '#server/http/prepared-response.ts'

let isFull = false

/** What servers in this process serve is as small as it gets, until the tests of this file are over: for those that weigh it. */
export function compressPagesFully(): void {
  isFull = true
  afterAll(() => {
    isFull = false
  })
}

/** In the place of `compressText` where a server prepares its pages: see `quick-compression.ts`. @public */
export function compressPage(body: Buffer): Promise<Encodings> {
  return (isFull ? compressText : compressQuickly)(body)
}
