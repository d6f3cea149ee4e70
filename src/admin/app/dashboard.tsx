import { useEffect, useRef } from 'react'
import { focusPageHeading } from '../components/page-heading.tsx'
import { AccountScreen } from '../features/account/components/account-screen.tsx'
import { AdminUsersScreen } from '../features/admin-users/components/admin-users-screen.tsx'
import { PixelsScreen } from '../features/pixels/components/pixels-screen.tsx'
import { useSignOut } from '../features/session/api/sign-out.ts'
import { SettingsScreen } from '../features/settings/components/settings-screen.tsx'
import { useAddress } from '../lib/address.ts'
import { useServices } from '../lib/services.tsx'
import { Shell } from './shell.tsx'
import { tabOf } from './tabs.ts'

export function Dashboard() {
  const { boot } = useServices()
  const signOut = useSignOut()
  const tab = tabOf(useAddress())
  const shown = useRef(tab)
  useEffect(() => {
    document.title = `${tab?.label ?? 'Minha conta'} · Admin Dashboard ${boot.brandName}`
    if (shown.current !== tab) focusPageHeading()
    shown.current = tab
  }, [tab, boot.brandName])
  return (
    <Shell tab={tab} onSignOut={() => signOut()}>
      {tab === null ? <AccountScreen /> : null}
      {tab?.id === 'pixels' ? <PixelsScreen /> : null}
      {tab?.id === 'users' ? (
        <AdminUsersScreen onDeletedSelf={() => signOut('Sua conta foi excluída.')} />
      ) : null}
      {tab?.id === 'settings' ? <SettingsScreen /> : null}
    </Shell>
  )
}
