const many = (count: number, piece: (index: number) => string, between = ''): string =>
  Array.from({ length: count }, (_, index) => piece(index)).join(between)
const script = (code: string): string => `<script>${code}</script>`

/** Snippets that once ended the process or blocked it for seconds. */
export const KILLERS: Record<string, string> = {
  'formatting elements made again for each paragraph': `<p>${many(4_500, (i) => `<b a${i}>`)}${'<p>x'.repeat(13_000)}`,
  'a group that is never closed': script(`/(${' '.repeat(99_800)}/`),
  'thousands of groups of one name': script(`/${'(?<a>)|'.repeat(12_000)}/`),
}

/** The most expensive snippets for parsers: each is below the 100 KB of a pixel. */
export const NASTY: Record<string, string> = {
  ...KILLERS,
  nothing: '',
  'a zero byte and brackets': '\u0000<<<>>><script',
  'tables in tables': '<table>'.repeat(14_000),
  'anchors around tables': '<a><table>'.repeat(9_000),
  'formatting, nested': '<b><i><u>'.repeat(11_000),
  'formatting, misnested': '<b><p></b>'.repeat(9_900),
  'titles in drawings': '<svg><title><p>'.repeat(6_000),
  'forms that overlap': '<form><div></form>'.repeat(5_500),
  'options without end': '<select><option>'.repeat(6_000),
  'twelve thousand attributes': `<script ${many(12_000, (i) => `a${i}`, ' ')}></script>`,
  'an attribute of 90 KB': `<img on${'x'.repeat(90_000)} src=1>`,
  'an element with a name of 90 KB': `<${'x'.repeat(90_000)}>`,
  'references that never end': '&notin'.repeat(16_000),
  'comments in comments': '<!--'.repeat(24_000),
  'scripts in comments in scripts': '<script><!--<script>'.repeat(4_900),
  'brackets, 40,000 deep': script('['.repeat(40_000)),
  'parentheses, 50,000 deep': script('('.repeat(50_000)),
  'arrows that may be': script('(a='.repeat(30_000)),
  'questions, 48,000 deep': script('a?'.repeat(48_000)),
  'a sum of 49,000': script(`1${'+1'.repeat(49_000)}`),
  'a name of 49,000 parts': script(`a${'.a'.repeat(49_000)}()`),
  'blocks with variables, 14,000 deep': script('{var a;'.repeat(14_000)),
  'sixteen thousand variables': script(`let ${many(16_000, (i) => `v${i}`, ',')}`),
  'twelve thousand labels': script(`${many(12_000, (i) => `a${i.toString(36)}:`)};`),
  'a list of 49,000': script(`[${'1,'.repeat(49_000)}]`),
  'templates in templates': script('`${'.repeat(30_000)),
  'looking ahead': script(`/${'(?=a)'.repeat(19_000)}/`),
  'a string of 99 KB that is nearly an address': script(`"https://${'a.'.repeat(49_000)}"`),
  'addresses that grow when they are written out': script(`"https://a.vendor.com/${'é'.repeat(40_000)}"`),
  'an identifier of 90 KB, twice': script(`let ${'x'.repeat(45_000)};let ${'x'.repeat(45_000)}`),
  'two thousand links': linksTo(2_000, 'link'),
}

/** A snippet with this many hosts. */
export function linksTo(count: number, name: string): string {
  return script(`var links=[${many(count, (i) => `"https://${name}${i}.vendor.com/"`, ',')}]`)
}
