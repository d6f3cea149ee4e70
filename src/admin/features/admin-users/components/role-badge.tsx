import { Chip } from '#admin/components/chip.tsx'
import { roleLabel } from '#contract/accounts.ts'

export function RoleBadge({ role }: { role: string }) {
  return <Chip look={role === 'super_admin' ? 'ink' : 'outline'}>{roleLabel(role)}</Chip>
}
