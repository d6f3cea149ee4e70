// @vitest-environment happy-dom
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { ConsentCategory } from '#contract/consent.ts'
import { BEFORE_TAGS, CONSENT_COOKIE, OPTIONAL_CATEGORIES, UNSENT_RECORDS } from '#contract/consent-choice.ts'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import { writeConsentCookie } from '../shared/consent-cookie.ts'
import { cleanUpAfter, cookieNames, deleteLeftovers } from './clean-up.ts'

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

/** A cookie jar that deletes on request, unlike happy-dom's; journeys test the browsers' own. */
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

test('without a note, deletes what the catalogue lists for the tags that ran: by name, prefix and pattern', () => {
  ran(MARKETING)
  localStorage.clear()
  set('_fbp', '_ads_1', '_x12', '_x1a', 'other')
  choose()
  deleteLeftovers()
  expect(left()).toEqual(['_x1a', 'other'])
})

test('also deletes what appeared after the consent, and keeps what was noted before it', () => {
  ran(MARKETING)
  localStorage[BEFORE_TAGS] = '[["session_of_the_app","_fbp"]]'
  set('session_of_the_app', '_fbp', 'appeared')
  choose()
  deleteLeftovers()
  expect(left()).toEqual(['session_of_the_app', '_fbp'])
})

test('keeps what belongs to allowed tags, the choice itself, and marks of a refusal', () => {
  ran(MARKETING, STATISTICS)
  localStorage[BEFORE_TAGS] = '[[]]'
  set('_fbp', '_ga', 'mtm_consent_removed', '__mp_opt_in_out_1', 'appeared')
  choose('desempenho')
  deleteLeftovers()
  expect(left()).toEqual(['_ga', 'mtm_consent_removed', '__mp_opt_in_out_1'])
  expect(cookieNames()).toContain(CONSENT_COOKIE)
})

test('without a note, deletes storage keys by name, each in its own area', () => {
  ran(MARKETING, STATISTICS)
  localStorage.clear()
  sessionStorage.clear()
  for (const area of [localStorage, sessionStorage])
    for (const key of ['ads1', 'ads-session', 'stats', 'mine']) area.setItem(key, '1')
  choose('desempenho')
  deleteLeftovers()
  expect(Object.keys(localStorage).sort()).toEqual(['mine', 'stats'])
  expect(Object.keys(sessionStorage).sort()).toEqual(['ads1', 'mine', 'stats'])
})

test('deletes what a custom tag stored, and keeps what was stored before it ran', () => {
  for (const area of [localStorage, sessionStorage]) area.setItem('of/(the app', '1')
  localStorage.setItem(UNSENT_RECORDS, '[]')
  set('of_the_app')
  ran(MARKETING, STATISTICS)
  for (const area of [localStorage, sessionStorage])
    for (const key of ['stats', 'by a custom tag']) area.setItem(key, '1')
  set('by_a_custom_tag')
  choose('desempenho')
  deleteLeftovers()
  expect(Object.keys(localStorage).sort()).toEqual(['of/(the app', BEFORE_TAGS, UNSENT_RECORDS, 'stats'])
  expect(Object.keys(sessionStorage).sort()).toEqual(['of/(the app', BEFORE_TAGS])
  expect(left()).toEqual(['of_the_app'])
  choose()
  deleteLeftovers(true)
  expect(Object.keys(localStorage).sort()).toEqual(['of/(the app', UNSENT_RECORDS])
  expect(Object.keys(sessionStorage)).toEqual(['of/(the app'])
})

test('a second visit keeps the first note', () => {
  ran(MARKETING)
  localStorage.setItem('later', '1')
  ran(MARKETING)
  choose()
  deleteLeftovers()
  expect(Object.keys(localStorage)).toEqual([BEFORE_TAGS])
})

test('keeps the note of earlier cookies only while a tag runs or may run', () => {
  const isRemembered = () => BEFORE_TAGS in localStorage
  localStorage[BEFORE_TAGS] = '[["a"]]'
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
  localStorage[BEFORE_TAGS] = '[["a"]]'
  ran()
  deleteLeftovers()
  expect(isRemembered()).toBe(false)
})

test('a page that is left cleans up after a withdrawal in this or another window', () => {
  ran(MARKETING)
  set('_fbp')
  choose('marketing')
  window.dispatchEvent(new Event('pagehide'))
  expect(left()).toEqual(['_fbp'])
  choose('desempenho')
  window.dispatchEvent(new Event('pagehide'))
  expect(left()).toEqual([])
  // No tag may run on this page any more, although one has run.
  localStorage[BEFORE_TAGS] = '[["a"]]'
  choose()
  window.dispatchEvent(new Event('pagehide'))
  expect(BEFORE_TAGS in localStorage).toBe(false)
})

test('a page that is left without a choice deletes nothing', () => {
  ran(MARKETING)
  set('_fbp')
  window.dispatchEvent(new Event('pagehide'))
  expect(left()).toEqual(['_fbp'])
})
