import type { Session } from '@supabase/auth-js'
import { expect, test } from 'vitest'
import { SessionStore } from './session.tsx'

const marina = { user: { id: 'u1', email: 'marina@portico.example' } } as Session
const user = { id: 'u1', email: 'marina@portico.example' }

test('without a session the check ends at the login', () => {
  const store = new SessionStore()
  expect(store.read()).toEqual({ status: 'checking' })
  store.onAuthEvent('INITIAL_SESSION', null)
  expect(store.read()).toEqual({ status: 'signed-out', notice: null })
})

test('a session that ends by itself leaves the page in place', () => {
  const store = new SessionStore()
  store.onAuthEvent('INITIAL_SESSION', marina)
  store.onAuthEvent('SIGNED_OUT', null)
  expect(store.read()).toEqual({ status: 'ended', user })
  store.onAuthEvent('SIGNED_IN', marina)
  expect(store.read()).toEqual({ status: 'signed-in', user })
})

test('leaving is final, and the event that follows changes nothing', () => {
  const store = new SessionStore()
  store.onAuthEvent('INITIAL_SESSION', marina)
  store.leave('aviso')
  store.onAuthEvent('SIGNED_OUT', null)
  expect(store.read()).toEqual({ status: 'signed-out', notice: 'aviso' })
})

test('a refreshed token does not notify the screens', () => {
  const store = new SessionStore()
  store.onAuthEvent('INITIAL_SESSION', marina)
  const before = store.read()
  store.onAuthEvent('TOKEN_REFRESHED', marina)
  expect(store.read()).toBe(before)
})

test('shows nothing while a sign-in is being checked', async () => {
  const store = new SessionStore()
  store.onAuthEvent('INITIAL_SESSION', null)
  await store.hold(async () => store.onAuthEvent('SIGNED_IN', marina))
  expect(store.read().status).toBe('signed-out')
  store.onAuthEvent('TOKEN_REFRESHED', marina)
  expect(store.read().status).toBe('signed-in')
})

test("asks for a missing code, over the person's own page if it is there", () => {
  const payload = (aal: string) => `x.${btoa(JSON.stringify({ aal }))}.x`
  const factors = [{ id: 'f1', status: 'verified', friendly_name: 'Celular', factor_type: 'totp' }]
  const at = (aal: string) =>
    ({ ...marina, access_token: payload(aal), user: { ...marina.user, factors } }) as typeof marina
  const owed = [{ id: 'f1', name: 'Celular', kind: 'app' }]
  const store = new SessionStore()
  store.onAuthEvent('INITIAL_SESSION', at('aal1'))
  expect(store.read()).toEqual({ status: 'second-factor', user, factors: owed, over: false })
  store.onAuthEvent('MFA_CHALLENGE_VERIFIED', at('aal2'))
  expect(store.read()).toEqual({ status: 'signed-in', user })
  store.end()
  store.onAuthEvent('SIGNED_IN', at('aal1'))
  expect(store.read()).toEqual({ status: 'second-factor', user, factors: owed, over: true })
  store.end()
  expect(store.read()).toEqual({ status: 'ended', user })
})
