import {
  ACTIVITY_PATH,
  CONSENT_PATH,
  INVENTORY_PATH,
  isAt,
  SUBSCRIPTIONS_PATH,
  TRASH_PATH,
} from '../lib/places.ts'
import type { Tab } from './tabs.ts'

interface Room {
  path: string
  label: string
}

/** What lies under a tab and has an address of its own. */
export const ROOMS: Record<Tab['id'], readonly Room[]> = {
  pixels: [
    { path: CONSENT_PATH, label: 'Consentimento' },
    { path: SUBSCRIPTIONS_PATH, label: 'Inscrições' },
    { path: INVENTORY_PATH, label: 'Inventário' },
    { path: TRASH_PATH, label: 'Lixeira' },
  ],
  users: [{ path: ACTIVITY_PATH, label: 'Atividade' }],
  settings: [],
}

/** The room of an address; undefined for a tab itself, and for what is a part of its list. */
export function roomOf(address: string): Room | undefined {
  return Object.values(ROOMS)
    .flat()
    .find(({ path }) => isAt(path, address))
}
