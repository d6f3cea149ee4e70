import { expect, test } from 'vitest'
import { passedRequestId } from './requests.ts'

test.each([
  ['7f3c1a9e2b4d', true, '7f3c1a9e2b4d'],
  ['c0ffee00-1234-4abc-9def-000000000001', true, 'c0ffee00-1234-4abc-9def-000000000001'],
  ['c0ffee00-1234-4abc-9def-000000000001', false, null],
  ['short', true, null],
  ['x'.repeat(65), true, null],
  ['line\nbreak-1234', true, null],
  ['<script>12345', true, null],
  [['a-list-of-two', 'a-list-of-two'], true, null],
  [undefined, true, null],
])('%j, trusting a proxy: %s, gives %j', (header, trusts, id) => {
  expect(passedRequestId({ headers: { 'x-request-id': header as string } }, trusts)).toBe(id)
})
