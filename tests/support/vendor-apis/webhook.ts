import type { VendorApi } from './start-vendor-apis.ts'

/** A webhook that accepts everything. */
export const standIn: VendorApi = {
  hosts: ['hooks.exemplo.com.br'],
  answer: () => ({ status: 200 }),
}
