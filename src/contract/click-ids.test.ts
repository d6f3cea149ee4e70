import { expect, test } from 'vitest'
import { CLICK_IDS } from './campaign.ts'
import { CLICK_ID_RULES, campaignForTag, clickIdsOf } from './click-ids.ts'

const QUERY = `?utm_source=a&email=maria@exemplo.com&${CLICK_IDS.map((name) => `${name}=1`).join('&')}`

const IDS_BY_HOST: [host: string, ids: string[]][] = [
  ['connect.facebook.net', ['fbclid']],
  ['*.google-analytics.com', ['gclid', 'gbraid', 'wbraid', 'dclid']],
  ['analytics.tiktok.com', ['ttclid']],
  ['snap.licdn.com', ['li_fat_id']],
  ['s.pinimg.com', ['epik']],
  ['bat.bing.com', ['msclkid']],
  ['notfacebook.com', []],
  ['facebook.com.evil.example', []],
]

test.each(IDS_BY_HOST)('passes a tag of %s only the click IDs of its vendor', (host, ids) => {
  const passed = [...new URLSearchParams(campaignForTag(QUERY, [host])).keys()]
  expect(passed).toEqual(['utm_source', ...ids])
})

test('passes the names that tags read, and one value of each', () => {
  const query = '?UTM_Source=&utm_source=a&utm_source=b&FBCLID=f1'
  expect(campaignForTag(query, ['connect.facebook.net'])).toBe('?utm_source=a&fbclid=f1')
})

test('passes nothing of a query without a campaign, nor of a very long one', () => {
  expect(campaignForTag('?email=maria@exemplo.com', ['connect.facebook.net'])).toBe('')
  expect(campaignForTag(`?utm_source=${'a'.repeat(1_500)}`, [])).toBe('')
})

test('has a rule for every click ID, of one vendor each', () => {
  expect(Object.keys(CLICK_ID_RULES)).toEqual([...CLICK_IDS])
  expect(clickIdsOf('meta')).toEqual(['fbclid'])
})
