import { globSync, readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { expect, test } from 'vitest'
import { HELP_TOPICS } from '#admin/components/help-link.tsx'
import { sourceFiles } from '#tests/support/source-files.ts'
import { findFaults, picturesOf, readChapter, readGuide } from '../../scripts/guide.ts'

const chapters = readGuide()

test('every link of the guide has a target, and every picture exists', () => {
  expect(chapters.length).toBeGreaterThan(0)
  expect(findFaults(chapters)).toEqual([])
})

test('the list of chapters names every file by its title', () => {
  const files = globSync('docs/guia/*.md').map((file) => basename(file, '.md'))
  expect(chapters.map(({ slug }) => slug).sort()).toEqual(files.filter((name) => name !== 'README').sort())
  const list = readFileSync('docs/guia/README.md', 'utf8')
  for (const { slug, title } of chapters) expect(list).toContain(`[${title}](${slug}.md)`)
})

test('every picture in the folder is shown and described', () => {
  const files = globSync('docs/guia/imagens/*').map((file) => relative('docs/guia', file))
  expect(files.sort()).toEqual(picturesOf(chapters).sort())
  const text = globSync('docs/guia/*.md').map((file) => readFileSync(file, 'utf8'))
  expect(text.join('\n')).not.toContain('![]')
})

test.each(Object.entries(HELP_TOPICS))(
  'the help about "%s" leads to a heading, from a screen',
  (topic, [chapter, heading]) => {
    const sections = chapters.find(({ slug }) => slug === chapter)?.sections ?? []
    expect(sections.map(({ id }) => id)).toContain(heading)
    const users = sourceFiles('src/admin/features').filter((file) =>
      readFileSync(file, 'utf8').includes(`topic="${topic}"`),
    )
    expect(users).not.toEqual([])
  },
)

test.each([
  ['raw HTML', '# A\n\n<b>x</b>'],
  ['a script', '# A\n\n<script>x</script>'],
  ['a heading below a section', '# A\n\n## B\n\n### C'],
  ['a link that leaves the guide', '# A\n\n[x](https://example.com)'],
  ['a link that runs code', '# A\n\n[x](javascript:alert(1))'],
])('refuses a chapter with %s', (_what, markdown) => {
  expect(() => readChapter('a', markdown)).toThrow()
})

test('a link to a chapter or heading that does not exist is a fault, and so is a missing picture', () => {
  const [first] = chapters
  expect(findFaults(first === undefined ? [] : [first])).toContain('primeiro-pixel links to nao-funciona')
  expect(findFaults([readChapter('a', '# A\n\n[x](#c) ![z](imagens/z.webp)\n\n## B')])).toEqual([
    'a links to a#c',
    'there is no imagens/z.webp',
  ])
})
