import { SlidersHorizontal, UsersRound } from 'lucide-react'
import { DoorIcon } from '../components/door-icon.tsx'

export const TABS = [
  { id: 'pixels', path: '/admin', label: 'Pixels & Tags', icon: DoorIcon },
  { id: 'users', path: '/admin/usuarios', label: 'Usuários Admin', icon: UsersRound },
  { id: 'settings', path: '/admin/configuracoes', label: 'Configurações', icon: SlidersHorizontal },
] as const

export type Tab = (typeof TABS)[number]

/** The tab of an address; whatever is not one shows the first. */
export function tabOf(path: string): Tab {
  const address = path.replace(/\/+$/, '')
  return TABS.find((tab) => tab.path === address) ?? TABS[0]
}
