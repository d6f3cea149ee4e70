import type { AdminBoot } from '#contract/admin-page.ts'

export function App({ boot }: { boot: AdminBoot }) {
  return (
    <main>
      <h1>Admin Dashboard</h1>
      <p>{boot.brandName}</p>
    </main>
  )
}
