import { ConfirmDialog } from '#admin/components/modal.tsx'

interface DeletePixelDialogProps {
  name: string
  onCancel: () => void
  onConfirm: () => void
}

export function DeletePixelDialog({ name, onCancel, onConfirm }: DeletePixelDialogProps) {
  return (
    <ConfirmDialog
      title="Tem certeza que deseja excluir este pixel?"
      description={`${name} deixa de rodar no site na próxima visita. Fica trinta dias na lixeira.`}
      confirmLabel="Excluir"
      onCancel={onCancel}
      onConfirm={onConfirm}
    />
  )
}
