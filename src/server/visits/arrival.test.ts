import { describe, expect, test } from 'vitest'
import { arrivalOf, cleanValue, readSource } from './arrival.ts'

const OWN = new Set(['portico.example'])
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1'

function read(query: string, referrer?: string, agent = PHONE) {
  return readSource(arrivalOf(query, referrer), OWN, agent)
}

describe('the channel of a visit', () => {
  test.each([
    ['utm_source=google&utm_medium=cpc', undefined, 'paid_search', 'google'],
    ['gclid=abc', undefined, 'paid_search', 'google'],
    ['wbraid=abc', undefined, 'paid_search', 'google'],
    ['msclkid=abc', undefined, 'paid_search', 'bing'],
    ['utm_source=ig&utm_medium=paid_social', undefined, 'paid_social', 'instagram'],
    ['ttclid=abc', undefined, 'paid_social', 'tiktok'],
    ['sccid=abc', undefined, 'paid_social', 'snapchat'],
    ['utm_source=portal&utm_medium=banner', undefined, 'paid_other', 'portal'],
    ['dclid=abc', undefined, 'paid_other', 'google-display'],
    ['', 'https://www.google.com.br/', 'organic_search', 'google'],
    ['', 'https://duckduckgo.com/', 'organic_search', 'duckduckgo'],
    ['fbclid=abc', 'https://l.instagram.com/', 'social', 'facebook'],
    ['', 'https://l.instagram.com/', 'social', 'instagram'],
    ['', 'android-app://com.linkedin.android/', 'social', 'linkedin'],
    ['utm_source=WhatsApp', undefined, 'social', 'whatsapp'],
    ['utm_source=base&utm_medium=e-mail', undefined, 'email', 'base'],
    ['', 'https://mail.google.com/', 'email', 'gmail'],
    ['utm_source=chatgpt.com', 'https://chatgpt.com/', 'ai', 'chatgpt'],
    ['', 'https://gemini.google.com/app', 'ai', 'gemini'],
    ['', 'https://www.blog.example/artigo?id=7', 'referral', 'blog.example'],
    ['', 'https://google.evil.example/', 'referral', 'google.evil.example'],
    ['utm_source=evento&utm_campaign=feira', undefined, 'campaign', 'evento'],
    ['', undefined, 'direct', ''],
    ['', 'https://portico.example/privacidade', 'direct', ''],
    ['', 'data:text/html,x', 'direct', ''],
    ['gclid=', undefined, 'direct', ''],
    ['UTM_Source=&utm_source=Bing&utm_source=x&MSCLKID=m', undefined, 'paid_search', 'bing'],
  ])('of ?%s after %s is %s from "%s"', (query, referrer, channel, source) => {
    expect(read(query, referrer)).toMatchObject({ channel, source })
  })

  test('takes campaign parameters before click IDs and the page before', () => {
    expect(
      read('gclid=x&utm_source=parceiro&utm_campaign=Black-Friday&utm_term=a', 'https://bing.com'),
    ).toEqual({
      channel: 'paid_other',
      source: 'parceiro',
      medium: '',
      campaign: 'black-friday',
      term: 'a',
      device: 'phone',
    })
  })
})

test.each([
  ['Black  Friday\u0000\n2026 ', 'black friday 2026'],
  ['a\u0301guas', 'águas'],
  ['{{campaign.name}}', ''],
  ['{campaignid}', ''],
  ['__CAMPAIGN_NAME__', ''],
  ['(not set)', ''],
  ['undefined', ''],
  ['*', ''],
  ['promo-2026-11-18', 'promo-2026-11-18'],
  ['volta-2025-2026', 'volta-2025-2026'],
  ['maria@exemplo.com.br', '*'],
  ['123.456.789-09', '*'],
  ['11987654321', '*'],
  ['zap 98765-4321', '*'],
  ['x'.repeat(150), 'x'.repeat(100)],
])('counts the value %j as %j', (text, value) => {
  expect(cleanValue(text)).toBe(value)
})

test.each([
  [PHONE, 'phone'],
  ['Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/142.0.0.0 Mobile Safari/537.36', 'phone'],
  ['Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36', 'tablet'],
  ['Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148', 'tablet'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36', 'desktop'],
])('knows the device of %s', (agent, device) => {
  expect(read('', undefined, agent).device).toBe(device)
})
