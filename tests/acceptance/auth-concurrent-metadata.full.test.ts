import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES } from '../support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const WRITERS = Array.from({ length: 10 }, (_, n) => n)

describe.each(ENGINES)('ten concurrent writers of one person’s metadata, on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let bearer: string
  let id: string
  beforeAll(async () => {
    site = await startTestApp({ engine })
    keys = await readKeys(site)
    const { body } = await call(site, {
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      apikey: keys.anon,
      body: PRINCIPAL,
    })
    bearer = body.access_token
    id = body.user.id
  })
  afterAll(() => site.close())

  const stored = () =>
    site.database.db
      .selectFrom('auth_users')
      .select(['user_metadata', 'app_metadata'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const put = (path: string, as: string, body: unknown) =>
    call(site, { method: 'PUT', path: `/auth/v1${path}`, apikey: keys.anon, bearer: as, body })

  test("keep all ten changes through the person's account", async () => {
    const answers = await Promise.all(WRITERS.map((n) => put('/user', bearer, { data: { [`own${n}`]: n } })))
    expect(answers.map(({ status }) => status)).toEqual(WRITERS.map(() => 200))
    expect(Object.keys((await stored()).user_metadata)).toEqual(
      expect.arrayContaining(WRITERS.map((n) => `own${n}`)),
    )
  })

  test('keep all ten changes of both documents with a service key', async () => {
    const answers = await Promise.all(
      WRITERS.map((n) =>
        put(`/admin/users/${id}`, keys.service, {
          user_metadata: { [`made${n}`]: n },
          app_metadata: { [`made${n}`]: n },
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(WRITERS.map(() => 200))
    const { user_metadata, app_metadata } = await stored()
    for (const document of [user_metadata, app_metadata])
      expect(Object.keys(document)).toEqual(expect.arrayContaining(WRITERS.map((n) => `made${n}`)))
  })
})
