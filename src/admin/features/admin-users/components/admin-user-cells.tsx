import { Lock, Pencil, Trash2 } from 'lucide-react'
import { memo } from 'react'
import { EmailAddress } from '#admin/components/email-address.tsx'
import { IconButton } from '#admin/components/icon-button.tsx'
import { CELL, LABELLED_CELL } from '#admin/components/table-style.ts'
import { TimeStamp } from '#admin/components/time-stamp.tsx'
import { type AdminUser, PRINCIPAL_CANNOT_BE_DELETED } from '#contract/accounts.ts'
import { RoleBadge } from './role-badge.tsx'

const ID_SHOWN = 8

interface AdminUserCellsProps {
  user: AdminUser
  isMe: boolean
  onEdit: (user: AdminUser) => void
  onDelete: (user: AdminUser) => void
}

export const AdminUserCells = memo(function AdminUserCells({
  user,
  isMe,
  onEdit,
  onDelete,
}: AdminUserCellsProps) {
  return (
    <>
      <td className={CELL}>
        <p className="flex flex-wrap items-center gap-x-2 leading-snug font-semibold">
          <EmailAddress value={user.email} />
          {user.is_principal ? <Tag>Principal</Tag> : null}
          {isMe ? <Tag>Você</Tag> : null}
        </p>
        <p title={user.id} className="font-mono text-sm text-text-2">
          {user.id.slice(0, ID_SHOWN)}…
        </p>
        {user.is_principal ? (
          <p className="mt-0.5 text-sm text-pretty text-text-2">{PRINCIPAL_CANNOT_BE_DELETED}</p>
        ) : null}
      </td>
      <td data-label="Função" className={LABELLED_CELL}>
        <RoleBadge role={user.role} />
      </td>
      <td data-label="Criado em" className={`${LABELLED_CELL} card:min-w-24`}>
        <TimeStamp value={user.created_at} className="text-[0.9375rem]" />
      </td>
      <td
        className={`${CELL} text-right whitespace-nowrap card:col-start-2 card:row-start-1 card:self-start tiny:col-start-1 tiny:row-auto tiny:text-left`}
      >
        <IconButton label={`Editar: ${user.email}`} onClick={() => onEdit(user)}>
          <Pencil aria-hidden="true" />
        </IconButton>
        {user.is_principal ? (
          <span className="inline-grid size-11 place-items-center text-text-2">
            <Lock className="size-5" role="img" aria-label="Protegido" />
          </span>
        ) : (
          <IconButton label={`Excluir: ${user.email}`} danger onClick={() => onDelete(user)}>
            <Trash2 aria-hidden="true" />
          </IconButton>
        )}
      </td>
    </>
  )
})

function Tag({ children }: { children: string }) {
  return <span className="chip rounded-md bg-[#e9ebe2] px-2 text-xs/5 font-semibold">{children}</span>
}
