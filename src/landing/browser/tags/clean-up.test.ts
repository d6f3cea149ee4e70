// @vitest-environment happy-dom
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { ConsentCategory } from '#contract/consent.ts'
import { CONSENT_COOKIE, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import { BEFORE_TAGS, cookieNames, writeConsentCookie } from '../shared/consent-cookie.ts'
import { cleanUpAfter, deleteLeftovers } from './clean-up.ts'

const MARKETING: Partial<ManifestTag> = {
  category: 'marketing',
  leaves: { cookies: ['_fbp', '_ads_*', '/^_x\\d+$/'], local: ['ads*'], session: ['ads-session'] },
}
const STATISTICS: Partial<ManifestTag> = {
  category: 'desempenho',
  leaves: { cookies: ['_ga', 'both'], local: ['stats'] },
}

function set(...names: string[]): void {
  // biome-ignore lint/suspicious/noDocumentCookie: what a vendor does.
  for (const name of names) document.cookie = `${name}=1; Path=/`
}
const choose = (...granted: ConsentCategory[]) =>
  writeConsentCookie({ textVersion: 1, granted, asked: [...OPTIONAL_CATEGORIES], id: randomUUID() })
const ran = (...tags: Partial<ManifestTag>[]) => cleanUpAfter(() => tags as ManifestTag[])
const left = () => cookieNames().filter((name) => name !== '' && name !== CONSENT_COOKIE)

/** A jar that forgets when it is told to, which happy-dom's does not; the journeys try the browsers' own. */
const jar = new Set<string>()
Object.defineProperty(document, 'cookie', {
  get: () => [...jar].join('; '),
  set: (line: string) => {
    const [cookie = '', ...attributes] = line.split('; ')
    const [name = ''] = cookie.split('=')
    for (const known of jar) if (known.startsWith(`${name}=`)) jar.delete(known)
    if (!attributes.includes('Max-Age=0')) jar.add(cookie)
  },
})

beforeEach(() => {
  jar.clear()
  localStorage.clear()
  sessionStorage.clear()
})

test('what the catalogue names for the tags that ran goes: by name, by prefix and by pattern', () => {
  ran(MARKETING)
  set('_fbp', '_ads_1', '_x12', '_x1a', 'other')
  choose()
  deleteLeftovers()
  expect(left()).toEqual(['_x1a', 'other'])
})

test('what appeared after the agreement goes too, where it was noted what was there before, and that stays', () => {
  ran(MARKETING)
  localStorage[BEFORE_TAGS] = 'session_of_the_app;_fbp'
  set('session_of_the_app', '_fbp', 'appeared')
  choose()
  deleteLeftovers()
  expect(left()).toEqual(['session_of_the_app', '_fbp'])
})

test('what belongs to a tag that may go on stays, as do the choice itself and marks of a refusal', () => {
  ran(MARKETING, STATISTICS)
  localStorage[BEFORE_TAGS] = ''
  set('_fbp', '_ga', 'mtm_consent_removed', '__mp_opt_in_out_1', 'appeared')
  choose('desempenho')
  deleteLeftovers()
  expect(left()).toEqual(['_ga', 'mtm_consent_removed', '__mp_opt_in_out_1'])
  expect(cookieNames()).toContain(CONSENT_COOKIE)
})

test('keys of the browser’s storage go by name, each in its own area', () => {
  ran(MARKETING, STATISTICS)
  for (const area of [localStorage, sessionStorage])
    for (const key of ['ads1', 'ads-session', 'stats', 'mine']) area.setItem(key, '1')
  choose('desempenho')
  deleteLeftovers()
  expect(Object.keys(localStorage).sort()).toEqual(['mine', 'stats'])
  expect(Object.keys(sessionStorage).sort()).toEqual(['ads1', 'mine', 'stats'])
})

test('what was there before is remembered while a tag runs or may run, and no longer', () => {
  const isRemembered = () => BEFORE_TAGS in localStorage
  localStorage[BEFORE_TAGS] = 'a'
  ran(MARKETING)
  choose()
  deleteLeftovers()
  expect(isRemembered()).toBe(true)
  choose('marketing')
  deleteLeftovers(true)
  expect(isRemembered()).toBe(true)
  choose()
  deleteLeftovers(true)
  expect(isRemembered()).toBe(false)
  localStorage[BEFORE_TAGS] = 'a'
  ran()
  deleteLeftovers()
  expect(isRemembered()).toBe(false)
})

test('a page that goes cleans up after a choice that was taken back, in this window or in another', () => {
  ran(MARKETING)
  set('_fbp')
  choose('marketing')
  window.dispatchEvent(new Event('pagehide'))
  expect(left()).toEqual(['_fbp'])
  choose('desempenho')
  window.dispatchEvent(new Event('pagehide'))
  expect(left()).toEqual([])
  // Nothing may run any more on this page, although it has run.
  localStorage[BEFORE_TAGS] = 'a'
  choose()
  window.dispatchEvent(new Event('pagehide'))
  expect(BEFORE_TAGS in localStorage).toBe(false)
})

test('a page that goes without any choice deletes nothing', () => {
  ran(MARKETING)
  set('_fbp')
  window.dispatchEvent(new Event('pagehide'))
  expect(left()).toEqual(['_fbp'])
})
