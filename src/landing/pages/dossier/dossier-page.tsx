import type { Dossier } from '#contract/inventory.ts'
import { DossierNotices, DossierNumbers } from './dossier-figures.tsx'
import { formatDay, formatMoment } from './dossier-format.ts'
import { DossierMethod } from './dossier-method.tsx'
import { DossierSeals } from './dossier-seals.tsx'
import { DOSSIER_STYLE } from './dossier-style.ts'
import { DossierTags } from './dossier-tags.tsx'

/** The dossier as one document that needs nothing beside it. */
export function DossierPage({ dossier }: { dossier: Dossier }) {
  const { controller, from, to } = dossier
  return (
    <html lang="pt-BR">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`Dossiê de consentimento, ${formatDay(from)} a ${formatDay(to)}`}</title>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own style sheet, which holds nothing of anybody's. */}
        <style dangerouslySetInnerHTML={{ __html: DOSSIER_STYLE }} />
      </head>
      <body>
        <main>
          <h1>Dossiê de consentimento</h1>
          <dl>
            <dt>Site</dt>
            <dd>{dossier.site}</dd>
            <dt>Controlador</dt>
            <dd>
              {[
                controller.name,
                controller.legal_name,
                controller.cnpj === null ? null : `CNPJ ${controller.cnpj}`,
              ]
                .filter((part) => part !== null)
                .join(', ')}
            </dd>
            <dt>Contato</dt>
            <dd>{controller.contact}</dd>
            <dt>Período</dt>
            <dd>{`${formatDay(from)} a ${formatDay(to)}, os dois dias incluídos`}</dd>
            <dt>Feito em</dt>
            <dd>{`${formatMoment(dossier.made_at)} (horário de Brasília), por ${dossier.made_by}`}</dd>
          </dl>
          <DossierNumbers figures={dossier.figures} />
          <DossierNotices notices={dossier.notices} />
          <DossierTags {...dossier} />
          <DossierSeals seals={dossier.seals} />
          <DossierMethod {...dossier} />
        </main>
      </body>
    </html>
  )
}
