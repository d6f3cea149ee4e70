import { readFileSync } from 'node:fs'

type Tool = '@astrojs/node' | 'astro' | 'autocannon' | 'lighthouse' | 'next'

export function toolVersion(tool: Tool): string {
  const { dependencies } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))
  return dependencies[tool]
}
