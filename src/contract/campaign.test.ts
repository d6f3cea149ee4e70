import { expect, test } from 'vitest'
import { readCampaign } from './campaign.ts'

test.each([
  ['?utm_source=news&gclid=g1&email=maria%40exemplo.com.br', { utm_source: 'news', gclid: 'g1' }],
  ['UTM_Source=news&sccid=s1&FBCLID=f1', { utm_source: 'news', ScCid: 's1', fbclid: 'f1' }],
  ['utm_source=&utm_source=um&UTM_SOURCE=dois', { utm_source: 'um' }],
  ['utm_campaign=a+b%20c', { utm_campaign: 'a b c' }],
  ['utm_email=a&__proto__=b&constructor=c&utm_term=', {}],
  ['', {}],
])('reads of %s only the campaign and click IDs, by their known names', (query, expected) => {
  expect(Object.fromEntries(readCampaign(query))).toEqual(expected)
})
