import { readKeys } from '../acceptance/auth-keys.ts'
import type { TestApp } from './test-app.ts'

/** Calls with the service key. */
export async function adminCall(site: TestApp) {
  const { service } = await readKeys(site)
  return async <Answer>(method: string, path: string, body: object = {}): Promise<Answer> => {
    const answer = await fetch(site.url + path, {
      method,
      headers: {
        apikey: service,
        authorization: `Bearer ${service}`,
        'content-type': 'application/json',
        prefer: 'return=representation',
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    })
    return (await answer.json()) as Answer
  }
}
