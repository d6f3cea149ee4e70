/** The visitor's own receipt: whose it is, the browser's cookie says. */
export const RECEIPT_PATH = '/api/consent/receipt'
