import type { Contender } from './data-service-contenders.ts'

const BATCH = 100

export async function addPixels({ request }: Contender, count: number, isActive = false): Promise<void> {
  const url = new URL('/rest/v1/tracking_pixels', request.url)
  for (let at = 0; at < count; at += BATCH) {
    const pixels = Array.from({ length: Math.min(BATCH, count - at) }, (_, index) => ({
      name: `Campanha ${at + index}`,
      type: 'custom',
      // Unique code for each, or all active ones would share one file.
      code: `<script>/* ${'x'.repeat(600)} */ window.n${at + index} = 1</script>`,
      is_active: isActive,
    }))
    const headers = { ...request.headers, 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(pixels) })
    if (!answer.ok) throw new Error(`adding pixels: ${answer.status} ${await answer.text()}`)
  }
}
