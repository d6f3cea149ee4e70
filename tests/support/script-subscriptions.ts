import type { SubscriptionPage } from '#contract/newsletter.ts'
import { json } from './scripted-server.ts'
import type { ScriptedSite } from './scripted-site.ts'

/** The newsletter's list: search, retry and erase on the site's data. */
export function scriptSubscriptions(site: ScriptedSite): void {
  const PAGE = 50
  const inState = (state: string) => site.subscriptions.filter(({ status }) => status === state)
  site.answer('GET /admin/api/subscriptions', ({ query }): SubscriptionPage => {
    const found = site.subscriptions.filter(
      ({ email, status }) =>
        email.includes(query.get('search') ?? '') && status === (query.get('status') ?? status),
    )
    const from = Number(query.get('before') ?? 0)
    return {
      subscriptions: found.slice(from, from + PAGE),
      next: found.length > from + PAGE ? String(from + PAGE) : null,
      ...(from > 0
        ? {}
        : {
            counts: {
              pending: inState('pending').length,
              delivered: inState('delivered').length,
              failed: inState('failed').length,
            },
          }),
      delivers: site.delivers,
    }
  })
  site.answer('POST /admin/api/subscriptions/retry', ({ body }) => {
    const { id } = body as { id?: string }
    for (const one of inState('failed')) if (id === undefined || one.id === id) one.status = 'pending'
    return null
  })
  site.answer('POST /admin/api/subscriptions/erase', ({ body }) => {
    const { email } = body as { email: string }
    const gone = site.subscriptions.find((one) => one.email === email)
    if (gone === undefined)
      return json({ error: 'not_found', message: 'Nenhuma inscrição com este e-mail.' }, 404)
    site.subscriptions = site.subscriptions.filter((one) => one !== gone)
    return { was_delivered: gone.status === 'delivered' }
  })
  site.answer('GET /admin/api/subscriptions/export', () => new Response('email\r\n'))
}
