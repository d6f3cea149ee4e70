import { roleLabel } from '#contract/admin-user.ts'

export function RoleBadge({ role }: { role: string }) {
  const look = role === 'super_admin' ? 'bg-ink text-on-ink' : 'shadow-[inset_0_0_0_1.5px_var(--line-2)]'
  return (
    <span className={`inline-block rounded-full px-3 py-1 text-sm font-semibold whitespace-nowrap ${look}`}>
      {roleLabel(role)}
    </span>
  )
}
