/** CSV as RFC 4180 has it, every cell in quotation marks. */
export function toCsvLine(values: readonly string[]): string {
  return `${values.map(toCell).join(',')}\r\n`
}

/**
 * Where a cell begins and where one may begin: a Brazilian Excel splits this file on semicolons, and knows quotation
 * marks only at the start of what it then takes for a cell.
 */
const FORMULA_START = /(?<=^|[;,|\t\r\n])(?=[\s"]*[=+\-@\t\r\0\uFF1D\uFF0B\uFF0D\uFF20])/g

/** A spreadsheet would run a cell that begins like a formula; the apostrophe makes it text (OWASP ASVS 1.2.10). */
function toCell(value: string): string {
  return `"${value.replace(FORMULA_START, "'").replaceAll('"', '""')}"`
}
