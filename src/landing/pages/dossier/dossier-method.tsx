import { formatCount } from '#contract/format-count.ts'
import type { Dossier } from '#contract/inventory.ts'
import { formatNumber } from './dossier-format.ts'

const SEALS_ADDRESS = '/.well-known/portico-seals'

/** How it was made, how to check it, and what it does not show. */
export function DossierMethod({ site, kept_days, seals }: Dossier) {
  return (
    <>
      <section>
        <h2>5. Como conferir sem confiar em nós</h2>
        <ol>
          <li>
            {`Abra ${site}${SEALS_ADDRESS}. Os selos são públicos. Compare a raiz e a impressão digital do selo ${seals.last === null ? 'mais novo' : formatNumber(seals.last.sequence)} com as deste dossiê.`}
          </li>
          <li>
            {`Com selos anotados em datas diferentes, peça a prova de consistência entre eles: ${site}${SEALS_ADDRESS}/consistency?first=N&second=M. Qualquer programa que siga a RFC 6962 a confere.`}
          </li>
          <li>
            Peça o arquivo de registros do período e rode <code>npm run evidence -- verify ARQUIVO</code>, sem
            rede. Um byte mudado, um registro tirado, acrescentado ou fora de ordem faz a conferência falhar e
            dizer onde. O formato é JSON-LD com os termos do W3C DPV; as impressões digitais são SHA-256 sobre
            JSON canônico (RFC 8785), e dá para refazê-las com qualquer ferramenta.
          </li>
          <li>
            Some os registros do arquivo por dia e por versão do aviso: os números têm de ser os da seção 1,
            salvo os registros já apagados pelo prazo de guarda.
          </li>
          <li>
            Um visitante tem o código da própria escolha nas preferências de cookies, e pode baixar o recibo,
            com a prova de que a escolha está sob um selo.
          </li>
        </ol>
      </section>
      <section>
        <h2>6. Método, e o que este dossiê não mostra</h2>
        <ul>
          <li>
            Uma escolha é registrada quando o visitante aperta um botão do aviso ou das preferências: botão,
            categorias, versão do aviso, conjunto de tags e hora do nosso servidor. Sem nome, endereço IP nem
            navegador: o registro diz que a escolha foi feita, não por quem.
          </li>
          <li>
            {`Registros ficam ${formatCount(kept_days, 'dia', 'dias')}. Depois são apagados, e a impressão digital de cada um fica, para que as provas dos outros continuem valendo.`}
          </li>
          <li>
            A hora é a do nosso servidor. Um selo prova a ordem e que nada mudou desde que alguém de fora o
            anotou; a hora de um selo que ninguém anotou é só a nossa palavra.
          </li>
          <li>
            Tags e endereços vêm do que o servidor anotou ao servir a página. O que um contêiner (Google Tag
            Manager) carrega por conta própria não está na lista. Empresas e finalidades são as do catálogo do
            produto.
          </li>
          <li>
            O inventário de scripts que o painel mantém (quem autorizou cada um, por quê, e se o arquivo
            mudou) segue a forma dos requisitos 6.4.3 e 11.6.1 do PCI DSS. Eles são escritos para páginas de
            pagamento e não obrigam esta página, que não recebe dados de cartão; nada aqui afirma que eles são
            cumpridos.
          </li>
          <li>
            Este dossiê é um relato do que foi anotado. Não é parecer jurídico, e ninguém de fora o avaliou.
          </li>
        </ul>
      </section>
    </>
  )
}
