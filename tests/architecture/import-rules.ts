import { posix } from 'node:path'
import { parseSync } from 'vite'

/** What the server renders never imports browser code, except the form, the banner and the preferences. */
const RENDERED_BY_BOTH = ['landing/browser/islands/newsletter-form.tsx', 'landing/browser/consent/notice.tsx']

/**
 * What each module may import besides itself and, in the server, the modules below it. Modules come from the folder
 * listing: an unnamed folder gets `defaultFor`. An entry is a module, all modules of a folder (`/*`), or one file.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  design: [],
  'landing/browser/boot': ['contract', 'design', 'landing/legal', 'landing/browser/*'],
  'landing/browser/consent': ['contract', 'landing/legal', 'landing/browser/shared'],
  'landing/browser/islands': [
    'contract',
    'landing/content',
    'landing/legal',
    'landing/styles',
    'landing/browser/consent',
    'landing/browser/shared',
  ],
  'landing/browser/isolated-frame': ['contract', 'landing/browser/tags'],
  'landing/browser/shared': ['contract', 'landing/styles'],
  'landing/browser/tags': ['contract', 'landing/browser/shared'],
  'landing/browser/test-visit': [
    'contract',
    'landing/browser/consent',
    'landing/browser/shared',
    'landing/browser/tags',
  ],
  'landing/content': ['contract'],
  'landing/legal': ['contract', 'landing/content'],
  'landing/pages': [
    'contract',
    'design',
    'landing/content',
    'landing/legal',
    'landing/sections',
    ...RENDERED_BY_BOTH,
  ],
  'landing/sections': ['contract', 'design', 'landing/content', 'landing/legal', ...RENDERED_BY_BOTH],
  'admin/app': ['contract', 'design', 'admin/features/*', 'admin/components', 'admin/lib'],
  'admin/components': ['contract', 'design', 'admin/lib'],
  'admin/lib': ['contract'],
  admin: ['contract', 'design', 'admin/app', 'admin/components', 'admin/features/session', 'admin/lib'],
  'server/landing': ['contract', 'design/colors.ts', 'landing/pages'],
  'server/alerts': ['contract', 'design/colors.ts'],
  'server/mail': ['contract', 'design/colors.ts'],
  'server/auth': ['contract', 'design/colors.ts'],
}

/** Modules of the server from top to bottom. A module imports only from lower lines, never from its own. */
const SERVER_LEVELS: readonly (readonly string[])[] = [
  ['serve'],
  ['main', 'demo'],
  ['app'],
  ['landing', 'admin', 'alerts'],
  ['operations'],
  ['pixels'],
  ['newsletter', 'outcomes', 'tags'],
  ['conversions'],
  ['consent'],
  ['inventory'],
  ['auth'],
  ['data', 'visits'],
  ['stats', 'vendors', 'activity', 'mail'],
  ['outbox'],
  ['secrets'],
  ['http'],
  ['db'],
  ['config'],
  ['env-reader'],
  ['postgres-url'],
  ['operator-error'],
]
const LEVEL_OF = new Map(
  SERVER_LEVELS.flatMap((names, level) => names.map((name) => [`server/${name}`, level])),
)

function isLowerModule(from: string, to: string): boolean {
  const [above, below] = [LEVEL_OF.get(from), LEVEL_OF.get(to)]
  return above !== undefined && below !== undefined && below > above
}

/** A feature imports no other feature. */
function defaultFor(module: string): readonly string[] {
  if (module.startsWith('admin/features/')) return ['contract', 'design', 'admin/components', 'admin/lib']
  return ['contract']
}

/** Folders whose subfolders are modules. */
const FOLDERS_OF_MODULES = new Set(['admin/features', 'landing/browser'])

function moduleOf(file: string): string {
  const [top = '', second = '', third = ''] = file.replace(/^src\//, '').split('/')
  const bare = `${top}/${second.replace(/\.tsx?$/, '')}`
  if (top === 'server') return bare
  if (top === 'contract' || top === 'design' || second.includes('.')) return top
  const folder = `${top}/${second}`
  return FOLDERS_OF_MODULES.has(folder) ? `${folder}/${third}` : folder
}

/** Our own files that a source file imports, as paths from the repository's root. */
export function importsOf(file: string, source: string): string[] {
  const { module } = parseSync(file, source)
  const requests = [
    ...module.staticImports.map((entry) => entry.moduleRequest.value),
    ...module.staticExports.flatMap((entry) => entry.entries.map((part) => part.moduleRequest?.value)),
    ...module.dynamicImports.map(({ moduleRequest }) =>
      source.slice(moduleRequest.start + 1, moduleRequest.end - 1),
    ),
  ]
  return requests.flatMap((request) => toPath(file, request))
}

/** Imports that are evaluated before the file itself: neither types nor dynamic imports. */
export function loadedImportsOf(file: string, source: string): string[] {
  const { module } = parseSync(file, source)
  const requests = [
    ...module.staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map((entry) => entry.moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.filter(({ isType }) => !isType).map((part) => part.moduleRequest?.value),
    ),
  ]
  return requests.flatMap((request) => toPath(file, request))
}

function toPath(file: string, request: string | undefined): string[] {
  if (request?.startsWith('#tests/')) return [request.slice(1)]
  if (request?.startsWith('#')) return [`src/${request.slice(1)}`]
  return request?.startsWith('.') ? [posix.normalize(posix.join(posix.dirname(file), request))] : []
}

/** One line per forbidden import. */
export function findViolations(file: string, source: string): string[] {
  const from = moduleOf(file)
  const allowed = MAY_IMPORT[from] ?? defaultFor(from)
  return importsOf(file, source)
    .filter((target) => !isAllowed(from, allowed, target))
    .map((target) => `${file} (${from}) must not import ${target}`)
}

function isAllowed(from: string, allowed: readonly string[], target: string): boolean {
  if (!target.startsWith('src/')) return false
  const to = moduleOf(target)
  if (to === from) return !isSibling(from, target)
  if (isLowerModule(from, to)) return true
  return allowed.some(
    (entry) =>
      entry === to ||
      `src/${entry}` === target ||
      (entry.endsWith('/*') && `${to}/`.startsWith(entry.slice(0, -1))),
  )
}

/** Sections of the page import shared parts, never one another. */
function isSibling(module: string, target: string): boolean {
  return (
    module === 'landing/sections' &&
    posix.dirname(target) === 'src/landing/sections' &&
    posix.basename(target) !== 'parts.tsx'
  )
}
