/** CSV as RFC 4180 has it, every cell in quotation marks. */
export function toCsvLine(values: readonly string[]): string {
  return `${values.map((value) => `"${disarmFormulas(value).replaceAll('"', '""')}"`).join(',')}\r\n`
}

const SEPARATORS = ';,|\t\r\n'
const FORMULA_STARTS = '=+-@\t\r\0\uFF1D\uFF0B\uFF0D\uFF20'

/**
 * A spreadsheet would run a cell that begins like a formula; the apostrophe makes it text (OWASP ASVS 1.2.10). It is put
 * where a cell begins and where one may begin: a Brazilian Excel splits a file on semicolons, and knows quotation marks
 * only at the start of what it then takes for a cell. Read from the end, so that each character is looked at once.
 */
export function disarmFormulas(value: string): string {
  let disarmed = ''
  let end = value.length
  let isFormula = false
  for (let at = end - 1; at >= 0; at--) {
    const character = value.charAt(at)
    isFormula = FORMULA_STARTS.includes(character) || (isFormula && /[\s"]/.test(character))
    if (!isFormula || (at > 0 && !SEPARATORS.includes(value.charAt(at - 1)))) continue
    disarmed = `'${value.slice(at, end)}${disarmed}`
    end = at
  }
  return value.slice(0, end) + disarmed
}
