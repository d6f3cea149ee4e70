import type { Contender } from './data-service-contenders.ts'

const BATCH = 100

export async function addPixels({ request }: Contender, count: number): Promise<void> {
  const url = new URL('/rest/v1/tracking_pixels', request.url)
  for (let at = 0; at < count; at += BATCH) {
    const pixels = Array.from({ length: Math.min(BATCH, count - at) }, (_, index) => ({
      name: `Campanha ${at + index}`,
      type: 'custom',
      code: `<script>/* ${'x'.repeat(600)} */</script>`,
      is_active: false,
    }))
    const headers = { ...request.headers, 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(pixels) })
    if (!answer.ok) throw new Error(`adding pixels: ${answer.status} ${await answer.text()}`)
  }
}
