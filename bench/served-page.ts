import { get } from 'node:http'

export interface ServedPage {
  /** Compressed, as sent. */
  body: Buffer
  headers: Record<string, string>
}

/** The server's response for the page, byte for byte. */
export function readServedPage(url: string): Promise<ServedPage> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'br' } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ body: Buffer.concat(chunks), headers: response.headers as Record<string, string> }),
      )
    }).on('error', reject)
  })
}
