import { type ComponentType, lazy } from 'react'
import { ScreenNotLoaded } from '../components/screen-not-loaded.ts'

const LOADERS = {
  account: async () => (await import('../features/account/components/account-screen.tsx')).AccountScreen,
  users: async () =>
    (await import('../features/admin-users/components/admin-users-screen.tsx')).AdminUsersScreen,
  settings: async () => (await import('../features/settings/components/settings-screen.tsx')).SettingsScreen,
}

/** The pixels come with the page; the other screens when they are opened, or before, once there is time. */
export const AccountScreen = lazyScreen(LOADERS.account)
export const AdminUsersScreen = lazyScreen(LOADERS.users)
export const SettingsScreen = lazyScreen(LOADERS.settings)

export function loadScreensWhenIdle(): void {
  const load = () => {
    // One that does not come now is asked for again when it is opened.
    for (const loader of Object.values(LOADERS)) loader().catch(() => {})
  }
  if ('requestIdleCallback' in window) requestIdleCallback(load)
  else setTimeout(load, 1000)
}

function lazyScreen<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => {
    try {
      return { default: await load() }
    } catch (cause) {
      throw new ScreenNotLoaded(cause)
    }
  })
}
