import type { VendorApi } from './start-vendor-apis.ts'

/** GA4's Measurement Protocol and its validator. */
export const standIn: VendorApi = {
  hosts: ['www.google-analytics.com'],
  answer: ({ path }) =>
    path.startsWith('/debug/') ? { status: 200, body: '{"validationMessages":[]}' } : { status: 204 },
}
