/** What vendors write where the customer's own value belongs. Each is short and linear. */
const PLACEHOLDERS: readonly RegExp[] = [
  /\b(?:YOUR|SEU|SUA|INSERT|ENTER|REPLACE)[_-][A-Z0-9_-]{2,40}\b/,
  /<(?:your|user|insert|seu|sua|customer|pixel|partner)[_ -][a-z0-9_ -]{1,40}>/i,
  /\[(?:your|insert|seu|sua)[_ -][a-z0-9_ -]{1,40}\]/i,
  /\{\{\s{0,4}[a-z0-9_. -]{1,40}\}\}/i,
  /\b(?:G|GTM|AW|DC|UA)-X{4,12}\b/,
  /\bX{8,20}\b/,
]

/** The first piece of the code that its author should have replaced, or null. */
export function findPlaceholder(code: string): string | null {
  for (const pattern of PLACEHOLDERS) {
    const found = pattern.exec(code)
    if (found !== null) return found[0]
  }
  return null
}
