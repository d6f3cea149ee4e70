import { createHash } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { PIXEL_TYPES, type PixelType } from '#contract/pixel.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { TAG_REFUSED } from '#contract/tag-status.ts'
import { AppError } from '#server/http/errors.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { encodeHere } from '#tests/support/compile-here.ts'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { NASTY } from '#tests/support/nasty-snippets.ts'
import { COMPILER_VERSION, decodeTag } from './compiled-tag.ts'
import { TagCompiler } from './compiler.ts'

const RUNS = 150
const compiler = new TagCompiler()
afterAll(() => compiler.close())

/** The result, and how often the event loop turned meanwhile. */
async function compile(code: string, type: PixelType = 'custom') {
  let isOver = false
  let turns = 0
  const answer = compiler
    .compile({ type, pixel_id: type === 'custom' ? null : 'G-1', code })
    .then(
      (tag) => decodeTag(tag),
      (error: unknown) => error,
    )
    .finally(() => {
      isOver = true
    })
  while (!isOver) {
    turns++
    // At most a thousand turns per second, so that counting does not become the work.
    await setTimeout(1)
  }
  return { answer: await answer, turns }
}

function expectAnswer(answer: unknown, what: string): void {
  if (answer instanceof Error) {
    expect(answer, what).toBeInstanceOf(AppError)
    expect(answer, what).toMatchObject({ status: 400, code: TAG_REFUSED })
    return
  }
  expect(answer, what).toMatchObject({ steps: expect.any(Array), warnings: expect.any(Array) })
  for (const { message } of (answer as { warnings: { message: string }[] }).warnings) {
    expect(message.length, what).toBeLessThan(400)
  }
}

test('compiles or refuses every hostile snippet while the event loop turns', async () => {
  let turned = 0
  for (const [name, code] of Object.entries(NASTY)) {
    const { answer, turns } = await compile(code)
    expectAnswer(answer, name)
    turned += turns
    const after = await compile(generateSnippet('google_analytics', 'G-1'), 'google_analytics')
    expect(after.answer, `after ${name}`).toMatchObject({
      warnings: [],
      scripts: ['www.googletagmanager.com'],
    })
  }
  // Some snippets take their whole two seconds. Compiled in this thread, the loop would have turned once for each.
  expect(turned).toBeGreaterThan(20 * Object.keys(NASTY).length)
}, 300_000)

test('recognises 65 KB of spaces after a sign while the event loop turns', async () => {
  const delay = monitorEventLoopDelay()
  delay.enable()
  const { answer } = await compile(`<script>OB_ADV_ID=${' '.repeat(65_000)}0</script>`)
  delay.disable()
  expect(answer).toMatchObject({ vendors: [{ id: 'outbrain-pixel', account: null }] })
  // In nanoseconds. With the former quadratic pattern this took 23 s in this thread.
  expect(delay.max).toBeLessThan(5e9)
})

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PIECES()) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 20 }) },
)
const snippet = fc
  .array(fc.tuple(piece, fc.constantFrom(1, 1, 1, 2, 10, 200)), { maxLength: 30 })
  .map((pieces) =>
    pieces
      .map(([text, times]) => text.repeat(times))
      .join('')
      .slice(0, 100_000),
  )

function PIECES(): string[] {
  return [
    ...'<p> <b> </b> <i> </p> <a href=x> <table> <tr> <td> </table> <svg> <math> <template> <noscript> </noscript>'.split(
      ' ',
    ),
    ...'<script> </script> <script\u0020src= "https://a.vendor.com/x.js"> <img\u0020src= <!-- --> <![CDATA[ ]]> &amp &#x'.split(
      ' ',
    ),
    ...[
      'fetch(',
      ')',
      '"',
      "'",
      '`',
      '${',
      '}',
      '{',
      '[',
      ']',
      '(',
      '/',
      '/*',
      '*/',
      '//',
      '\n',
      ';',
      ',',
      '=>',
      '...',
    ],
    ...[
      'async ',
      'function ',
      'class A{',
      'import(',
      '#a',
      '?.',
      '\\u',
      '\\',
      '\u2028',
      '\ud800',
      '"https://b.vendor.com"',
    ],
  ]
}

test(`compiles or refuses ${RUNS} random snippets`, async () => {
  await fc.assert(
    fc.asyncProperty(snippet, fc.constantFrom(...PIXEL_TYPES), async (code, type) => {
      expectAnswer((await compile(code, type)).answer, JSON.stringify(code.slice(0, 200)))
    }),
    { numRuns: RUNS },
  )
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B7c',
    `${Object.keys(NASTY).length} snippets that are slow to parse, and ${RUNS} generated at random`,
    'each is compiled or refused in a worker thread; the event loop stays responsive, and the next snippet compiles',
    '`src/server/tags/compile/compile-corpus.full.test.ts`',
  ])
}, 300_000)

/** Results stored by one version are served by the next, so a changed result needs a new version. */
test('gives the same results for the same compiler version', () => {
  const results = PIXEL_TYPES.map((type) => {
    const { vendor: _vendor, ...stored } = encodeHere({
      type,
      pixel_id: type === 'custom' ? null : 'G-1',
      code: ORDINARY + generateSnippet(type, 'G-1'),
    })
    return stored
  })
  const digest = createHash('sha256').update(JSON.stringify(results)).digest('base64url').slice(0, 12)
  expect({ version: COMPILER_VERSION, digest }).toEqual({ version: 4, digest: 'qiY__kPwtX4e' })
})

const ORDINARY = `<script>(function(c,l,a,r,i,t,y){c[a]=c[a]||function(){(c[a].q=c[a].q||[]).push(arguments)};
t=l.createElement(r);t.async=1;t.src="https://www.clarity.ms/tag/"+i;y=l.getElementsByTagName(r)[0];
y.parentNode.insertBefore(t,y);})(window,document,"clarity","script","abc");</script>
<script async src="//cdn.vendor.com/x.js" data-key="k"></script><img src="https://px.vendor.com/p.gif">
<script type="module">import "https://esm.vendor.com/m.js"; fetch("https://api.vendor.com/v1")</script>
<script>document.write("x"); eval("1"); if (</script><iframe src="https://frame.vendor.com"></iframe>`
