import { globSync } from 'node:fs'

/**
 * The program's files below these folders, without tests. The pattern is composed, because knip reads a literal one as
 * imports and would count every file as used.
 */
export function sourceFiles(...folders: string[]): string[] {
  return globSync(folders.map((folder) => `${folder}/**/*.{ts,tsx}`)).filter(
    (file) => !file.includes('.test.'),
  )
}
