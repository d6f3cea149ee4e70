import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ensurePrincipal } from '#server/auth/accounts/principal.ts'
import { resetPassword } from '#server/auth/accounts/reset-access.ts'
import { createAuthContext } from '#server/auth/auth.ts'
import { Authenticator } from '../support/authenticator.ts'
import { beforeTransaction } from '../support/before-transaction.ts'
import { writeDocRow } from '../support/doc-table.ts'
import { ENGINES } from '../support/engines.ts'
import { Mailbox } from '../support/mailbox.ts'
import { QUICK_WORK } from '../support/quick-work.ts'
import { SoftwareAuthenticator } from '../support/software-authenticator.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { type Answer, type AuthCall, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const PASSWORD = 'janela-verde-oceano-41'
const STOLEN = 'trilho-pedra-nuvem-77'
const RP = { rpId: 'painel.example', origin: 'https://painel.example' }
const ROUNDS = 12

const pairs = new Set<string>()

/**
 * Each pair runs twice: with the second call just before the first one's transaction, and in a loop with both at once.
 * On PostgreSQL the second uses another process of the site.
 */
describe.each(ENGINES)('concurrent changes during a request, on %s', (engine) => {
  let site: TestApp
  let other: TestApp
  let keys: AuthKeys
  let mailbox: Mailbox
  let count = 0
  beforeAll(async () => {
    mailbox = await Mailbox.open()
    const env = {
      AUTH_SIGNUP: 'open',
      ADMIN_URL: RP.origin,
      SITE_URL: 'https://site.example',
      SMTP_URL: mailbox.url,
    }
    site = await startTestApp({ engine, env })
    other = engine === 'postgres' ? await startTestApp({ beside: site, env }) : site
    keys = await readKeys(site)
  })
  afterAll(async () => {
    if (other !== site) await other.close()
    await site.close()
    await mailbox.close()
  })
  beforeEach(() => forgetLimits())

  const forgetLimits = async () => {
    await site.forgetLimits()
    await other.forgetLimits()
  }

  type Method = NonNullable<AuthCall['method']>
  const send = (on: TestApp, method: Method, path: string, body?: unknown, bearer?: string) =>
    call(on, {
      method,
      path,
      apikey: keys.anon,
      bearer,
      body,
      headers: { host: 'painel.example' },
      from: `10.1.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`,
    })
  const asService = (on: TestApp, method: Method, path: string, body?: unknown) =>
    call(on, {
      method,
      path,
      apikey: keys.service,
      bearer: keys.service,
      body,
      headers: { host: 'painel.example' },
    })
  const signIn = (email: string, password: string, on = site) =>
    send(on, 'POST', '/auth/v1/token?grant_type=password', { email, password })
  const nextEmail = () => `pessoa${++count}@exemplo.com.br`

  interface Person {
    id: string
    email: string
    bearer: string
  }
  const ok = (answer: Answer): Answer => {
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer
  }
  const enter = async (email: string, password = PASSWORD): Promise<Person> => {
    const { body } = ok(await signIn(email, password))
    return { id: body.user.id, email, bearer: body.access_token }
  }
  const stranger = async (): Promise<Person> => {
    const email = nextEmail()
    const { body } = ok(await send(site, 'POST', '/auth/v1/signup', { email, password: PASSWORD }))
    return { id: body.user.id, email, bearer: body.access_token }
  }
  const member = async (): Promise<Person> => {
    const email = nextEmail()
    const body = { email, password: PASSWORD, email_confirm: true }
    ok(await asService(site, 'POST', '/auth/v1/admin/users', body))
    return enter(email)
  }
  const administrator = async (): Promise<Person> => {
    const email = nextEmail()
    ok(
      await asService(site, 'POST', '/rest/v1/admin_users', {
        email,
        password: PASSWORD,
        role: 'super_admin',
      }),
    )
    return enter(email)
  }
  const enrol = async ({ bearer }: Person) => {
    const { body } = ok(await send(site, 'POST', '/auth/v1/factors', { factor_type: 'totp' }, bearer))
    const app = new Authenticator(body.totp.secret)
    const path = `/auth/v1/factors/${body.id}`
    const verify = async (on: TestApp, by = bearer) => {
      const challenge = await send(on, 'POST', `${path}/challenge`, {}, by)
      if (challenge.status !== 200) return challenge
      const answer = { challenge_id: challenge.body.id, code: await app.next() }
      return send(on, 'POST', `${path}/verify`, answer, by)
    }
    return { id: String(body.id), path, verify }
  }
  const addPasskey = async ({ bearer }: Person) => {
    const device = new SoftwareAuthenticator(RP)
    const path = '/auth/v1/passkeys/registration'
    const { body } = ok(await send(site, 'POST', `${path}/options`, {}, bearer))
    const credential = device.create(body.options)
    return (on: TestApp) =>
      send(on, 'POST', `${path}/verify`, { challenge_id: body.challenge_id, credential }, bearer)
  }
  const linkFor = async (type: string, email: string, more: object = {}) => {
    const { body } = ok(
      await asService(site, 'POST', '/auth/v1/admin/generate_link', { type, email, ...more }),
    )
    return { token_hash: String(body.hashed_token), type: String(body.verification_type) }
  }
  const account = (id: string) =>
    site.database.db.selectFrom('auth_users').selectAll().where('id', '=', id).executeTakeFirst()
  const rowsOf = (
    table: 'auth_sessions' | 'auth_factors' | 'auth_passkeys' | 'auth_recovery_codes',
    id: string,
  ) => site.database.db.selectFrom(table).select('id').where('user_id', '=', id).execute()
  const setPassword = (person: Person) => (on: TestApp) =>
    send(on, 'PUT', '/auth/v1/user', { password: STOLEN, current_password: PASSWORD }, person.bearer)

  interface Race {
    /** The request that has passed its first check. */
    first: (on: TestApp) => Promise<Answer>
    meanwhile: (on: TestApp) => Promise<unknown>
    /** What must be true afterwards, in any order. */
    holds: (answer: Answer) => Promise<void>
  }

  /** A stolen password must not open the account, unless its change came first and was ended afterwards. */
  const refusesStolen = async ({ email }: Person) =>
    expect((await signIn(email, STOLEN)).body.code).toBe('invalid_credentials')
  /** A change of password before "sign out" stays, one after it is refused. */
  const isRefusedOrEarlier = async (answer: Answer, person: Person) => {
    if (answer.status === 200) return
    await refusesStolen(person)
  }

  const RACES: Record<string, () => Promise<Race & { late: (answer: Answer) => Promise<void> }>> = {
    'a stranger’s new password, and the role for that address': async () => {
      const person = await stranger()
      const holds = () => refusesStolen(person)
      return {
        first: setPassword(person),
        meanwhile: async (on) =>
          ok(await asService(on, 'POST', '/rest/v1/admin_users', { email: person.email, role: 'admin' })),
        holds,
        late: async (answer) => expect(answer.body.code).toBe('session_not_found'),
      }
    },
    'a stranger’s new password, and the owner’s first proof of the mailbox': async () => {
      const person = await stranger()
      const link = await linkFor('recovery', person.email)
      return {
        first: setPassword(person),
        meanwhile: async (on) => {
          const proof = await send(on, 'POST', '/auth/v1/verify', link)
          if (proof.status === 200) return
          // The change of password came first, which ends links: the owner asks for another one.
          expect(proof.body.code).toBe('otp_expired')
          ok(await send(on, 'POST', '/auth/v1/verify', await linkFor('recovery', person.email)))
        },
        holds: async (answer) => {
          if (answer.status !== 200) expect((await account(person.id))?.password_hash).toBeNull()
          await refusesStolen(person)
        },
        late: async (answer) => expect(answer.body.code).toBe('session_not_found'),
      }
    },
    'a thief’s new password, and the operator’s reset': async () => {
      const person = await member()
      return {
        first: setPassword(person),
        meanwhile: async (on) => {
          const context = await createAuthContext(on.config, on.database.db, on.secrets, QUICK_WORK)
          expect(await resetPassword(context, person.email)).not.toBeNull()
        },
        holds: () => refusesStolen(person),
        late: async (answer) => expect(answer.body.code).toBe('session_not_found'),
      }
    },
    'a thief’s new password, and an administrator’s': async () => {
      const person = await administrator()
      return {
        first: setPassword(person),
        meanwhile: async (on) =>
          ok(
            await asService(on, 'PATCH', `/rest/v1/admin_users?id=eq.${person.id}`, {
              password: 'varanda-azulejo-27',
            }),
          ),
        holds: () => refusesStolen(person),
        late: async (answer) => expect(answer.body.code).toBe('session_not_found'),
      }
    },
    'a thief’s new password, and "sign out everywhere"': async () => {
      const person = await member()
      const owner = await enter(person.email)
      return {
        first: setPassword(person),
        meanwhile: (on) => send(on, 'POST', '/auth/v1/logout?scope=global', {}, owner.bearer),
        holds: (answer) => isRefusedOrEarlier(answer, person),
        late: async (answer) => {
          expect(answer.body.code).toBe('session_not_found')
          await refusesStolen(person)
        },
      }
    },
    'a thief’s new password, and the end of that one session': async () => {
      const person = await member()
      const owner = await enter(person.email)
      const [{ id = '' } = {}] = await rowsOf('auth_sessions', person.id)
      return {
        first: setPassword(person),
        meanwhile: (on) => send(on, 'DELETE', `/admin/api/logins/${id}`, undefined, owner.bearer),
        holds: (answer) => isRefusedOrEarlier(answer, person),
        late: async () => {},
      }
    },
    'a new password, and a ban': async () => {
      const person = await member()
      return {
        first: setPassword(person),
        meanwhile: async (on) =>
          ok(await asService(on, 'PUT', `/auth/v1/admin/users/${person.id}`, { ban_duration: '1h' })),
        holds: async () => {},
        late: async (answer) => {
          expect(answer.body.code).toBe('user_banned')
          await refusesStolen(person)
        },
      }
    },
    'a new password, and a second factor that begins to count': async () => {
      const person = await member()
      const thief = await enter(person.email)
      const factor = await enrol(person)
      return {
        first: setPassword(thief),
        meanwhile: (on) => factor.verify(on),
        holds: async (answer) => {
          if (answer.status !== 200) await refusesStolen(person)
        },
        late: async (answer) => expect(answer.status, answer.text).not.toBe(200),
      }
    },
    'a removed administrator’s new super admin': async () => {
      const boss = await administrator()
      const email = nextEmail()
      const made = () =>
        site.database.db.selectFrom('auth_users').select('id').where('email', '=', email).executeTakeFirst()
      return {
        first: (on) =>
          send(
            on,
            'POST',
            '/rest/v1/admin_users',
            { email, password: STOLEN, role: 'super_admin' },
            boss.bearer,
          ),
        meanwhile: async (on) => ok(await asService(on, 'DELETE', `/rest/v1/admin_users?id=eq.${boss.id}`)),
        holds: async (answer) => {
          if (answer.status === 201) return
          expect([401, 403], answer.text).toContain(answer.status)
          expect(await made()).toBeUndefined()
        },
        late: async (answer) => expect(answer.status, answer.text).toBe(401),
      }
    },
    'a removed administrator’s new pixel': async () => {
      const boss = await administrator()
      const name = `Pixel ${nextEmail()}`
      return {
        first: (on) =>
          send(
            on,
            'POST',
            '/rest/v1/tracking_pixels',
            { name, type: 'custom', code: '<script>1</script>', is_active: false },
            boss.bearer,
          ),
        meanwhile: async (on) =>
          ok(
            await call(on, {
              method: 'DELETE',
              path: `/auth/v1/admin/users/${boss.id}`,
              apikey: keys.service,
              bearer: keys.service,
              headers: { host: 'painel.example' },
              body: { should_soft_delete: true },
            }),
          ),
        holds: async (answer) => {
          const row = await site.database.db
            .selectFrom('tracking_pixels')
            .select('id')
            .where('name', '=', name)
            .executeTakeFirst()
          expect(row !== undefined, answer.text).toBe(answer.status === 201)
        },
        late: async (answer) => expect(answer.status, answer.text).toBe(401),
      }
    },
    'a password set by the service key, and a new address': async () => {
      const person = await member()
      const moved = `novo-${person.email}`
      return {
        first: (on) =>
          asService(on, 'PUT', `/auth/v1/admin/users/${person.id}`, { password: 'varanda-azulejo-27' }),
        meanwhile: async (on) =>
          ok(await asService(on, 'PUT', `/auth/v1/admin/users/${person.id}`, { email: moved })),
        holds: async (answer) => {
          ok(answer)
          expect((await account(person.id))?.email).toBe(moved)
        },
        late: async (answer) => expect(answer.body.email).toBe(moved),
      }
    },
    'a factor removed at aal1, and its first code': async () => {
      const person = await member()
      const thief = await enter(person.email)
      const factor = await enrol(person)
      return {
        first: (on) => send(on, 'DELETE', factor.path, undefined, thief.bearer),
        meanwhile: (on) => factor.verify(on),
        holds: async (answer) => {
          const left = await rowsOf('auth_factors', person.id)
          expect(left, answer.text).toHaveLength(answer.status === 200 ? 0 : 1)
          const raised = await site.database.db
            .selectFrom('auth_sessions')
            .select('id')
            .where('user_id', '=', person.id)
            .where('aal', '=', 'aal2')
            .execute()
          if (answer.status === 200) expect(raised).toEqual([])
        },
        late: async (answer) => expect([403, 422], answer.text).toContain(answer.status),
      }
    },
    'a passkey for a session that ends': async () => {
      const person = await member()
      const owner = await enter(person.email)
      const register = await addPasskey(person)
      return {
        first: register,
        meanwhile: (on) => send(on, 'POST', '/auth/v1/logout?scope=global', {}, owner.bearer),
        holds: async (answer) =>
          expect(await rowsOf('auth_passkeys', person.id)).toHaveLength(answer.status === 200 ? 1 : 0),
        late: async (answer) => expect(answer.body.code).toBe('session_not_found'),
      }
    },
    'a passkey of a stranger, and the role for that address': async () => {
      const person = await stranger()
      const register = await addPasskey(person)
      return {
        first: register,
        meanwhile: async (on) =>
          ok(await asService(on, 'POST', '/rest/v1/admin_users', { email: person.email, role: 'admin' })),
        holds: async () => expect(await rowsOf('auth_passkeys', person.id)).toEqual([]),
        late: async (answer) => expect(answer.body.code).toBe('session_not_found'),
      }
    },
    'a passkey removed by a session that ends': async () => {
      const person = await member()
      const { body: key } = ok(await (await addPasskey(person))(site))
      const owner = await enter(person.email)
      return {
        first: (on) => send(on, 'DELETE', `/auth/v1/passkeys/${key.id}`, undefined, person.bearer),
        meanwhile: (on) => send(on, 'POST', '/auth/v1/logout?scope=global', {}, owner.bearer),
        holds: async (answer) =>
          expect(await rowsOf('auth_passkeys', person.id)).toHaveLength(answer.status === 204 ? 0 : 1),
        late: async (answer) => expect(answer.body.code).toBe('session_not_found'),
      }
    },
    'a passkey renamed, and removed': async () => {
      const person = await member()
      const { body: key } = ok(await (await addPasskey(person))(site))
      const path = `/auth/v1/passkeys/${key.id}`
      return {
        first: (on) => send(on, 'PATCH', path, { friendly_name: 'Celular' }, person.bearer),
        meanwhile: (on) => send(on, 'DELETE', path, undefined, person.bearer),
        holds: async () => expect(await rowsOf('auth_passkeys', person.id)).toEqual([]),
        late: async (answer) => expect(answer.status).toBe(404),
      }
    },
    'recovery codes, and the removal of the only factor': async () => {
      const person = await member()
      const factor = await enrol(person)
      const { body } = ok(await factor.verify(site))
      return {
        first: (on) => send(on, 'POST', '/admin/api/recovery-codes', {}, body.access_token),
        meanwhile: async (on) =>
          ok(await asService(on, 'DELETE', `/auth/v1/admin/users/${person.id}/factors/${factor.id}`)),
        holds: async () => expect(await rowsOf('auth_recovery_codes', person.id)).toEqual([]),
        late: async (answer) => expect(answer.text).toContain('mfa_factor_not_found'),
      }
    },
    'a sign-in, and a ban': async () => {
      const person = await member()
      await site.database.db.deleteFrom('auth_sessions').where('user_id', '=', person.id).execute()
      return {
        first: (on) => signIn(person.email, PASSWORD, on),
        meanwhile: async (on) =>
          ok(await asService(on, 'PUT', `/auth/v1/admin/users/${person.id}`, { ban_duration: '1h' })),
        holds: async (answer) =>
          expect(await rowsOf('auth_sessions', person.id)).toHaveLength(answer.status === 200 ? 1 : 0),
        late: async (answer) => expect(answer).toMatchObject({ status: 400, body: { code: 'user_banned' } }),
      }
    },
    'a mailed link, and the removal of its account': async () => {
      const email = nextEmail()
      const { body: made } = ok(
        await asService(site, 'POST', '/auth/v1/admin/users', { email, email_confirm: true }),
      )
      const link = await linkFor('magiclink', email)
      return {
        first: (on) => send(on, 'POST', '/auth/v1/verify', link),
        meanwhile: async (on) =>
          ok(await asService(on, 'DELETE', `/auth/v1/admin/users/${made.id}`, { should_soft_delete: true })),
        holds: async () => expect(await rowsOf('auth_sessions', made.id)).toEqual([]),
        late: async (answer) => expect(answer).toMatchObject({ status: 403, body: { code: 'otp_expired' } }),
      }
    },
  }

  describe.each(Object.entries(RACES))('%s', (name, prepare) => {
    test('decides by what the transaction finds', async () => {
      const race = await prepare()
      const answer = await beforeTransaction(
        site.database.db,
        () => race.first(site),
        () => race.meanwhile(other),
      )
      await race.late(answer)
      await race.holds(answer)
      pairs.add(name)
    })

    test(`is correct ${ROUNDS} times with both at once`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await forgetLimits()
        const race = await prepare()
        const late = async () => {
          await wait(Math.random() * 12)
          return race.meanwhile(other)
        }
        const [answer] = await Promise.all([race.first(site), late()])
        expect(answer.status, answer.text).toBeLessThan(500)
        await race.holds(answer)
      }
    })
  })

  test('a thief’s new password does not survive the operator’s takeover of the principal’s address', async () => {
    const person = await stranger()
    const take = async () => {
      const config = { ...other.config, principal: { email: person.email, password: 'varanda-azulejo-27' } }
      const context = await createAuthContext(config, other.database.db, other.secrets, QUICK_WORK)
      expect(await ensurePrincipal(context)).toMatchObject({ how: 'taken over' })
    }
    const answer = await beforeTransaction(site.database.db, () => setPassword(person)(site), take)
    expect(answer.body.code).toBe('session_not_found')
    await refusesStolen(person)
  })

  describe('a change of address', () => {
    const change = (person: Person, email: string, on = site) =>
      send(on, 'PUT', '/auth/v1/user', { email }, person.bearer)
    const confirm = (link: string) =>
      send(other, 'POST', '/auth/v1/verify', {
        token_hash: new URL(link).searchParams.get('token') ?? '',
        type: 'email_change',
      })

    test('is refused if its emails cannot be sent, and keeps the earlier request', async () => {
      const person = await member()
      const thief = await enter(person.email)
      ok(await change(person, `good-${person.email}`))
      const toOld = await mailbox.take(person.email)
      const toGood = await mailbox.take(`good-${person.email}`)
      ok(await confirm(toGood.link))
      await forgetMinute()
      await spendMails(person)
      const refused = await change(thief, `evil-${person.email}`)
      expect(refused).toMatchObject({ status: 429, body: { code: 'over_email_send_rate_limit' } })
      ok(await confirm(toOld.link))
      expect((await account(person.id))?.email).toBe(`good-${person.email}`)
    })

    test('replaces address, emails and confirmations of the earlier request', async () => {
      const person = await member()
      const thief = await enter(person.email)
      ok(await change(person, `good-${person.email}`))
      const toOld = await mailbox.take(person.email)
      const toGood = await mailbox.take(`good-${person.email}`)
      ok(await confirm(toGood.link))
      await forgetLimits()
      ok(await change(thief, `evil-${person.email}`))
      expect((await confirm(toOld.link)).body.code).toBe('otp_expired')
      expect((await account(person.id))?.email).toBe(person.email)
      const named = await mailbox.take(person.email)
      expect(named.text).toContain(`evil-${person.email}`)
      const toEvil = await mailbox.take(`evil-${person.email}`)
      expect(await confirm(toEvil.link)).toMatchObject({ status: 200, body: { code: '200' } })
      expect((await account(person.id))?.email).toBe(person.email)
      ok(await confirm(named.link))
      expect((await account(person.id))?.email).toBe(`evil-${person.email}`)
    })

    test('counts for the address that a confirmation was sent to, also if a link is made for another', async () => {
      const person = await member()
      const good = { new_email: `good-${person.email}` }
      const proved = await linkFor('email_change_new', person.email, good)
      const agreed = await linkFor('email_change_current', person.email, good)
      ok(await send(site, 'POST', '/auth/v1/verify', proved))
      await linkFor('email_change_new', person.email, { new_email: `evil-${person.email}` })
      const answer = await send(site, 'POST', '/auth/v1/verify', agreed)
      expect(answer.body.code).toBe('otp_expired')
      expect((await account(person.id))?.email).toBe(person.email)
    })

    test(`never ends at an unconfirmed address, ${ROUNDS} times`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await forgetLimits()
        const person = await member()
        const thief = await enter(person.email)
        const good = { new_email: `good-${person.email}` }
        ok(await send(site, 'POST', '/auth/v1/verify', await linkFor('email_change_new', person.email, good)))
        const agreed = await linkFor('email_change_current', person.email, good)
        await Promise.all([
          send(site, 'POST', '/auth/v1/verify', agreed),
          wait(Math.random() * 8).then(() => change(thief, `evil-${person.email}`, other)),
        ])
        expect([person.email, `good-${person.email}`]).toContain((await account(person.id))?.email)
      }
    })

    /** As if a minute had passed: the hour's counts stay. */
    const forgetMinute = () =>
      site.database.db.deleteFrom('rate_limits').where('key', 'like', 'mail:own:%').execute()
    const spendMails = async ({ bearer }: Person) => {
      for (let n = 0; n < 10; n++) {
        await forgetMinute()
        await send(site, 'GET', '/auth/v1/reauthenticate', undefined, bearer)
      }
      await site.app.ready()
      await expect
        .poll(async () =>
          (await site.database.db.selectFrom('rate_limits').selectAll().execute()).some(
            ({ key, count }) => key.startsWith('mail:account:themselves:') && count >= 9,
          ),
        )
        .toBe(true)
      await forgetMinute()
    }
  })
})

test('writes its row of docs/reports/attacks.md', () => {
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B11e',
    'something changes while a request runs: a role is given, the owner confirms the mailbox, a password is reset, sessions end, an administrator is removed, a factor is verified, an account is banned or deleted',
    `${pairs.size} pairs of requests, the second just before the first one’s transaction and ${ROUNDS} times at once, on both engines, on PostgreSQL from two processes: the transaction decides by what it finds`,
    '`tests/acceptance/account-races.full.test.ts`',
  ])
})
