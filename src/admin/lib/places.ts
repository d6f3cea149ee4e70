/** The list of pixels, and the places under the tabs that have an address of their own. */
export const LIST_PATH = '/admin'
/** The list again, of those with a problem. */
export const PROBLEMS_PATH = '/admin/problemas'
export const SUBSCRIPTIONS_PATH = '/admin/inscricoes'
/** Under the people who have access. */
export const ACTIVITY_PATH = '/admin/atividade'
export const CONSENT_PATH = '/admin/consentimento'
export const INVENTORY_PATH = '/admin/inventario'
export const TRASH_PATH = '/admin/lixeira'

const PIXEL_PAGE = /^\/admin\/pixels\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/

export function pixelPath(id: string): string {
  return `/admin/pixels/${id}`
}

/** Whose page an address is; null for any other. */
export function pixelIdOf(path: string): string | null {
  return PIXEL_PAGE.exec(path)?.[1] ?? null
}

const TEST_PAGE = /^\/admin\/pixels\/([0-9a-f-]{36})\/testes\/([0-9a-f-]{36})\/?$/

export function testPath(pixelId: string, testId: string): string {
  return `${pixelPath(pixelId)}/testes/${testId}`
}

/** Which test an address is; null for any other. */
export function testOf(path: string): { pixelId: string; testId: string } | null {
  const [, pixelId, testId] = TEST_PAGE.exec(path) ?? []
  return pixelId === undefined || testId === undefined ? null : { pixelId, testId }
}

export function isAt(place: string, path: string): boolean {
  return path.replace(/(?<!\/)\/+$/, '') === place
}
