import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Authenticator } from '../support/authenticator.ts'
import { TIER_ENGINES } from '../support/engines.ts'
import { SoftwareAuthenticator } from '../support/software-authenticator.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { type AuthCall, call } from './auth-http.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const PASSWORD = 'janela-verde-oceano-41'
const RP = { rpId: 'painel.example', origin: 'https://painel.example' }

describe.each(TIER_ENGINES)('passkeys on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let person: { email: string; session: string; id: string }
  let device: SoftwareAuthenticator
  let count = 0
  beforeAll(async () => {
    site = await startTestApp({
      engine,
      env: { AUTH_SIGNUP: 'open', ADMIN_URL: RP.origin, SITE_URL: 'https://site.example' },
    })
    keys = await readKeys(site)
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    const email = `pessoa${++count}@exemplo.com.br`
    const { body } = await send('POST', '/signup', { email, password: PASSWORD })
    person = { email, session: body.access_token, id: body.user.id }
    device = new SoftwareAuthenticator(RP)
  })

  const send = (method: NonNullable<AuthCall['method']>, path: string, body?: unknown, bearer?: string) =>
    call(site, {
      method,
      path: `/auth/v1${path}`,
      apikey: keys.anon,
      bearer,
      body,
      headers: { host: 'painel.example' },
      from: `10.0.${count}.${Math.floor(Math.random() * 250)}`,
    })
  const service = (method: NonNullable<AuthCall['method']>, path: string, body?: unknown) =>
    call(site, {
      method,
      path: `/auth/v1${path}`,
      apikey: keys.service,
      bearer: keys.service,
      body,
      headers: { host: 'painel.example' },
    })
  const begin = async (session = person.session) =>
    (await send('POST', '/passkeys/registration/options', {}, session)).body
  const finish = (challenge_id: string, credential: unknown, session = person.session) =>
    send('POST', '/passkeys/registration/verify', { challenge_id, credential }, session)
  const register = async () => {
    const { challenge_id, options } = await begin()
    const made = await finish(challenge_id, device.create(options))
    expect(made.status, made.text).toBe(200)
    return made.body
  }
  const ask = async () => (await send('POST', '/passkeys/authentication/options', {})).body
  const show = (challenge_id: string, credential: unknown) =>
    send('POST', '/passkeys/authentication/verify', { challenge_id, credential })
  const signIn = async (answer?: object) => {
    const { challenge_id, options } = await ask()
    return show(challenge_id, device.get(options, answer))
  }

  test('are created, listed, renamed, used, removed and audited', async () => {
    const { challenge_id, options } = await begin()
    expect(options).toMatchObject({
      rp: { id: 'painel.example' },
      user: { name: person.email },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    })
    const made = await finish(challenge_id, device.create(options))
    expect(made.status, made.text).toBe(200)
    const path = `/passkeys/${made.body.id}`
    const excluded = (await begin()).options.excludeCredentials
    expect(excluded).toEqual([{ id: device.id, type: 'public-key', transports: ['internal'] }])
    const renamed = await send('PATCH', path, { friendly_name: 'Celular' }, person.session)
    expect(renamed.body).toMatchObject({ id: made.body.id, friendly_name: 'Celular' })
    const session = await signIn()
    expect(session.status, session.text).toBe(200)
    expect(session.body.user.id).toBe(person.id)
    const claims = JSON.parse(Buffer.from(session.body.access_token.split('.')[1], 'base64url').toString())
    expect(claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'passkey' }] })
    const [listed] = (await send('GET', '/passkeys', undefined, person.session)).body
    expect(listed).toMatchObject({ friendly_name: 'Celular', last_used_at: expect.any(String) })
    expect((await send('DELETE', path, undefined, person.session)).status).toBe(204)
    expect((await signIn()).body.code).toBe('webauthn_verification_failed')
    const trail = await site.database.db
      .selectFrom('audit_events')
      .select('action')
      .where('subject', '=', person.id)
      .where('action', 'like', 'auth.passkey%')
      .execute()
    expect(trail.map(({ action }) => action).sort()).toEqual([
      'auth.passkey_added',
      'auth.passkey_removed',
      'auth.passkey_renamed',
    ])
  })

  test('a challenge works once, for its purpose and person, within five minutes', async () => {
    await register()
    const { challenge_id, options } = await ask()
    const answer = device.get(options)
    expect((await show(challenge_id, answer)).status).toBe(200)
    expect((await show(challenge_id, answer)).body.code).toBe('webauthn_challenge_not_found')
    expect((await show(crypto.randomUUID(), device.get(options))).body.code).toBe(
      'webauthn_challenge_not_found',
    )

    // A wrong answer spends it as well.
    const wrong = await ask()
    expect((await show(wrong.challenge_id, device.get(wrong.options, { verified: false }))).status).toBe(400)
    expect((await show(wrong.challenge_id, device.get(wrong.options))).body.code).toBe(
      'webauthn_challenge_not_found',
    )

    const other = await send('POST', '/token?grant_type=password', {
      email: person.email,
      password: PASSWORD,
    })
    const mine = await begin()
    const another = new SoftwareAuthenticator(RP)
    const stolen = await finish(mine.challenge_id, another.create(mine.options), other.body.access_token)
    expect(stolen.body.code).toBe('webauthn_challenge_not_found')
    expect((await show(mine.challenge_id, device.get(mine.options))).body.code).toBe(
      'webauthn_challenge_not_found',
    )

    const late = await ask()
    const text = Buffer.from(late.options.challenge, 'base64url').toString()
    const past = `${Date.now() - 1000}${text.slice(13)}`
    const forged = { challenge: Buffer.from(past).toString('base64url') }
    expect((await show(late.challenge_id, device.get(forged))).body.code).toBe('webauthn_challenge_not_found')
  })

  test.each([
    ['without user verification', { verified: false }],
    ['on another origin', { origin: 'https://painel.example.attacker.example' }],
    ['on the public site', { origin: 'https://site.example' }],
    ['on a port of this machine', { origin: 'http://localhost:5173' }],
    ['for another relying party', { rpId: 'site.example' }],
  ])('refuses a key used %s, at creation and use', async (_what, fault) => {
    const { challenge_id, options } = await begin()
    const made = await finish(challenge_id, new SoftwareAuthenticator(RP).create(options, fault))
    expect(made.body.code).toBe('webauthn_verification_failed')
    await register()
    expect((await signIn(fault)).body.code).toBe('webauthn_verification_failed')
    expect((await signIn()).status).toBe(200)
  })

  test('refuses a counter that does not increase', async () => {
    await register()
    expect((await signIn({ counter: 7 })).status).toBe(200)
    for (const counter of [7, 3, 0])
      expect((await signIn({ counter })).body.code).toBe('webauthn_verification_failed')
    expect((await signIn({ counter: 8 })).status).toBe(200)
  })

  test('a key belongs to one account', async () => {
    await register()
    const { body } = await send('POST', '/signup', {
      email: `outra${count}@exemplo.com.br`,
      password: PASSWORD,
    })
    const theirs = await begin(body.access_token)
    const taken = await finish(theirs.challenge_id, device.create(theirs.options), body.access_token)
    expect(taken).toMatchObject({ status: 422, body: { code: 'webauthn_credential_exists' } })
    // The device now names the other person as the owner.
    expect((await signIn()).body.code).toBe('webauthn_verification_failed')
  })

  test('refuses banned people', async () => {
    await register()
    await service('PUT', `/admin/users/${person.id}`, { ban_duration: '1h' })
    expect(await signIn()).toMatchObject({ status: 403, body: { code: 'user_banned' } })
  })

  test('with a second factor, aal2 is required to add, remove and use', async () => {
    const made = await register()
    const enrolled = await send(
      'POST',
      '/factors',
      { factor_type: 'totp', friendly_name: 'x' },
      person.session,
    )
    const path = `/factors/${enrolled.body.id}`
    const { body: challenge } = await send('POST', `${path}/challenge`, {}, person.session)
    const code = await new Authenticator(enrolled.body.totp.secret).next()
    const raised = await send('POST', `${path}/verify`, { challenge_id: challenge.id, code }, person.session)
    expect(raised.status, raised.text).toBe(200)
    const password = { email: person.email, password: PASSWORD }
    const half = (await send('POST', '/token?grant_type=password', password)).body.access_token
    for (const [method, where] of [
      ['POST', '/passkeys/registration/options'],
      ['DELETE', `/passkeys/${made.id}`],
    ] as const)
      expect(await send(method, where, {}, half)).toMatchObject({
        status: 403,
        body: { code: 'insufficient_aal' },
      })
    expect((await begin(raised.body.access_token)).challenge_id).toEqual(expect.any(String))
    // The device has verified its owner, which counts as both factors: no code is asked for.
    const whole = (await signIn()).body.access_token
    expect(decodeJwt(whole)).toMatchObject({ aal: 'aal2', amr: [{ method: 'passkey' }] })
    expect((await begin(whole)).challenge_id).toEqual(expect.any(String))
  })

  test('as a second factor: created, shown, and never enough to sign in', async () => {
    const { body: factor } = await send(
      'POST',
      '/factors',
      { factor_type: 'webauthn', friendly_name: 'Chave' },
      person.session,
    )
    expect(factor).toMatchObject({ type: 'webauthn', friendly_name: 'Chave' })
    const path = `/factors/${factor.id}`
    const creation = (await send('POST', `${path}/challenge`, {}, person.session)).body
    expect(creation.webauthn.type).toBe('create')
    const verify = (challenge_id: string, type: string, credential_response: unknown, session: string) =>
      send('POST', `${path}/verify`, { challenge_id, webauthn: { type, credential_response } }, session)
    const credential = device.create(creation.webauthn.credential_options.publicKey)
    const first = await verify(creation.id, 'create', credential, person.session)
    expect(first.status, first.text).toBe(200)
    expect(first.body.user.factors).toMatchObject([{ factor_type: 'webauthn', status: 'verified' }])
    expect((await signIn()).body.code).toBe('webauthn_verification_failed')

    const password = { email: person.email, password: PASSWORD }
    const half = (await send('POST', '/token?grant_type=password', password)).body.access_token
    const request = (await send('POST', `${path}/challenge`, {}, half)).body
    expect(request.webauthn).toMatchObject({
      type: 'request',
      credential_options: { publicKey: { allowCredentials: [{ id: device.id }] } },
    })
    const answer = device.get(request.webauthn.credential_options.publicKey)
    expect((await verify(request.id, 'create', answer, half)).status).toBe(400)
    const full = await verify(request.id, 'request', answer, half)
    expect(full.status, full.text).toBe(200)
    const claims = JSON.parse(Buffer.from(full.body.access_token.split('.')[1], 'base64url').toString())
    expect(claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'mfa/webauthn' }, { method: 'password' }] })
    expect((await verify(request.id, 'request', answer, half)).body.code).toBe('webauthn_challenge_not_found')
  })

  test('a password set by somebody else deletes every passkey', async () => {
    await register()
    await service('PUT', `/admin/users/${person.id}`, { password: 'trilho-pedra-nuvem-77' })
    expect((await signIn()).body.code).toBe('webauthn_verification_failed')
  })

  test('a service key lists and removes', async () => {
    const { id } = await register()
    const path = `/admin/users/${person.id}/passkeys`
    expect((await service('GET', path)).body).toMatchObject([{ id }])
    expect((await service('DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await service('DELETE', `${path}/${id}`)).status).toBe(404)
  })
})
