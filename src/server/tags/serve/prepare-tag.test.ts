import { expect, test } from 'vitest'
import type { ConversionLabels } from '#contract/conversions.ts'
import type { PixelType } from '#contract/pixel.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { compileHere } from '#tests/support/compile-here.ts'
import { prepareTag } from './prepare-tag.ts'

const LINKEDIN = '<script>_linkedin_partner_id = "1234567"</script>'

function prepare(
  type: PixelType,
  pixel_id: string | null,
  code: string,
  conversion_labels: ConversionLabels = {},
) {
  const compiled = compileHere({ type, pixel_id, code })
  return prepareTag(
    {
      id: 'x',
      type,
      pixel_id,
      allowed_hosts: [],
      consent_category: 'marketing',
      conversion_labels,
      compiled,
    },
    new Set(),
  )
}
const google = (id: string) =>
  prepare('google_analytics', id, generateSnippet('google_analytics', id)).tag.hit

test('identifies a page view by the ID that its vendor shows', () => {
  expect(prepare('meta', '42', generateSnippet('meta', '42')).tag.hit).toEqual({
    hosts: ['www.facebook.com'],
    id: '42',
  })
  expect(google('G-ABC123')?.id).toBe('G-ABC123')
  expect(google('GT-ABC123')?.id).toBeNull()
  expect(google('AW-1234567')).toMatchObject({
    id: '1234567',
    hosts: expect.arrayContaining(['googleads.g.doubleclick.net']),
  })
  expect(prepare('custom', null, LINKEDIN).tag.hit?.id).toBe('1234567')
  expect(prepare('custom', null, '<script>1</script>').tag.hit).toBeUndefined()
})

test('sends conversions with each vendor’s call and label, and not twice', () => {
  expect(prepare('meta', '42', generateSnippet('meta', '42')).tag.conversions?.lead).toEqual([
    { call: 'fbq', args: ['track', 'Lead', {}, { eventID: '$id' }] },
  ])
  expect(prepare('custom', null, LINKEDIN).tag.conversions).toBeUndefined()
  expect(prepare('custom', null, LINKEDIN, { lead: '998877' }).tag.conversions).toEqual({
    lead: [{ call: 'lintrk', args: ['track', { conversion_id: '998877', event_id: '$id' }] }],
  })
  const ads = "<script>gtag('config', 'AW-1234567890')</script>"
  expect(
    prepare('custom', null, ads, { contact: 'AbC-_1' }).tag.conversions?.contact?.[0]?.args,
  ).toContainEqual({
    send_to: 'AW-1234567890/AbC-_1',
    transaction_id: '$id',
    transport_type: 'beacon',
  })
  const own = `${generateSnippet('meta', '42')}<script>document.addEventListener('portico:event', tell)</script>`
  expect(prepare('meta', '42', own).tag.conversions).toBeUndefined()
})

test('makes a new revision for changed code or policy', () => {
  const revisions = ['1', '2'].map((id) => prepare('meta', id, generateSnippet('meta', id)).revision)
  expect(new Set(revisions).size).toBe(2)
  expect(prepare('custom', null, LINKEDIN).revision).not.toBe(
    prepare('custom', null, LINKEDIN, { lead: '1' }).revision,
  )
  expect(prepare('custom', null, LINKEDIN).revision).toBe(prepare('custom', null, LINKEDIN).revision)
})

test('lists what its vendors leave behind, except refusals and the owner’s own keys', () => {
  expect(prepare('meta', '42', generateSnippet('meta', '42')).tag.leaves).toEqual({
    cookies: ['_fbp', '_fbc'],
    local: ['lastExternalReferrer', 'lastExternalReferrerTime'],
  })
  const plausible = '<script defer data-domain="a.com.br" src="https://plausible.io/js/script.js"></script>'
  expect(JSON.stringify(prepare('custom', null, plausible).tag)).not.toContain('plausible_ignore')
})
