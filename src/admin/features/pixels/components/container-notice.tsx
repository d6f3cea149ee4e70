import { MessageBox } from '#admin/components/message-box.tsx'
import { useTagOverview } from '../api/tag-overview.ts'

/** What an active container changes, in plain words. */
export function ContainerNotice() {
  const trusts = useTagOverview((overview) => overview.trusts_container).data ?? false
  if (!trusts) return null
  return (
    <div className="mt-4">
      <MessageBox look="info">
        Um contêiner do Tag Manager está ativo. Ninguém pode listar antes o que ele carrega, então a página
        confia em todo script que ele criar. Publique nele só o que você conhece. Variáveis de JavaScript
        personalizado não funcionam, porque a página não deixa montar código a partir de texto.
      </MessageBox>
    </div>
  )
}
