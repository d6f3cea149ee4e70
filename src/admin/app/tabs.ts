import { SlidersHorizontal, UsersRound } from 'lucide-react'
import { DoorIcon } from '../components/door-icon.tsx'
import { ACTIVITY_PATH } from '../lib/places.ts'

export const TABS = [
  { id: 'pixels', path: '/admin', label: 'Pixels & Tags', icon: DoorIcon },
  { id: 'users', path: '/admin/usuarios', label: 'Usuários Admin', icon: UsersRound },
  { id: 'settings', path: '/admin/configuracoes', label: 'Configurações', icon: SlidersHorizontal },
] as const

export type Tab = (typeof TABS)[number]

/** A person's own account is no tab: it stands beside "Sair". */
export const ACCOUNT_PATH = '/admin/conta'

/** The tab of an address, null on the account; whatever is not one, what lies under the first among it, is the first's. */
export function tabOf(path: string): Tab | null {
  const address = path.replace(/(?<!\/)\/+$/, '')
  if (address === ACCOUNT_PATH) return null
  if (address === ACTIVITY_PATH) return TABS[1]
  return TABS.find((tab) => tab.path === address) ?? TABS[0]
}
