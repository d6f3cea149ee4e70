import { PageHeading } from '#admin/components/page-heading.tsx'
import { useCurrentUser } from '#admin/lib/current-user.tsx'
import { AlertsSection } from './alerts-section.tsx'
import { LoginsSection } from './logins-section.tsx'
import { PasskeysSection } from './passkeys-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'

export function AccountScreen() {
  const { email } = useCurrentUser()
  return (
    <>
      <PageHeading title="Minha conta" subtitle={`Você entrou como ${email}.`} />
      <div className="grid gap-5">
        <PasswordSection />
        <PasskeysSection />
        <SecondFactorSection />
        <AlertsSection />
        <LoginsSection />
      </div>
    </>
  )
}
