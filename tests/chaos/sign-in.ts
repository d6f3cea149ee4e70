import { ADMIN_BOOT_ELEMENT_ID } from '#contract/admin-page.ts'

export const PRINCIPAL = { email: 'principal@portico.example', password: 'ponte-lilas-grafite-58' }

export interface Administrator {
  headers: Record<string, string>
  pixelId: string
}

/** The principal, or another administrator, with a pixel to change. */
export async function signIn(
  url: string,
  credentials: { email: string; password: string } = PRINCIPAL,
): Promise<Administrator> {
  const answer = await fetch(`${url}/admin`)
  const page = await answer.text()
  if (!answer.ok) throw new Error(`${url}/admin: ${answer.status} ${page.slice(0, 200)}`)
  const boot = new RegExp(`id="${ADMIN_BOOT_ELEMENT_ID}">([^<]+)<`).exec(page)?.[1] ?? ''
  const { anonKey } = JSON.parse(boot) as { anonKey: string }
  const json = { apikey: anonKey, 'content-type': 'application/json' }
  const session = await send(`${url}/auth/v1/token?grant_type=password`, json, credentials)
  const headers = { apikey: anonKey, authorization: `Bearer ${session.access_token}` }
  const pixel = { name: '0', type: 'custom', code: '<script>1</script>' }
  const [row] = (await send(
    `${url}/rest/v1/tracking_pixels`,
    { ...headers, 'content-type': 'application/json', prefer: 'return=representation' },
    pixel,
  )) as unknown as { id: string }[]
  return { headers, pixelId: row?.id ?? '' }
}

async function send(
  url: string,
  headers: Record<string, string>,
  body: object,
): Promise<{ access_token: string }> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { access_token: string }
}
