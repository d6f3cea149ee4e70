import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Pixel } from '#contract/pixel.ts'
import { openDashboard } from '../support/render-dashboard.tsx'
import { makeBlocked, makeStatus } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

const LINKEDIN = { id: 'linkedin', name: 'LinkedIn' }

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
})

const rowOf = (name: string) => screen.getByText(name).closest('tbody') as HTMLElement

describe('blocked hosts', () => {
  function stop(pixel: Pixel, ...hosts: string[]) {
    site.overview.blocked_hosts.push(
      ...hosts.map((host) =>
        makeBlocked(host, { permit: 'set', vendor: LINKEDIN, pixel_ids: [pixel.id], count: 3 }),
      ),
    )
  }

  test('are in the row of their pixel, grouped by vendor, and one click permits the group', async () => {
    const reason = (host: string) => ({ code: 'stopped_by_policy', host, message: `barrou ${host}` })
    const pixel = site.addPixel('Insight', {
      health: 'partial',
      reasons: [reason('px.ads.linkedin.com'), reason('snap.licdn.com')],
    })
    stop(pixel, 'px.ads.linkedin.com', 'snap.licdn.com')
    const { person } = await openDashboard(site)
    await screen.findByText('O site bloqueou o envio de LinkedIn para px.ads.linkedin.com, snap.licdn.com.')
    await screen.findByText(/O site bloqueou 6 vezes\. Última: há 1 h/)
    expect(screen.queryByText('barrou snap.licdn.com')).toBeNull()
    expect(screen.queryByRole('region', { name: 'Domínios bloqueados' })).toBeNull()
    site.statuses = [makeStatus(pixel)]
    await person.click(screen.getByRole('button', { name: 'Permitir px.ads.linkedin.com, snap.licdn.com' }))
    await screen.findByText('Domínio permitido: px.ads.linkedin.com, snap.licdn.com')
    expect(site.callsTo('POST /admin/api/blocked-hosts/allow').map(({ body }) => body)).toEqual([
      { ids: ['px.ads.linkedin.com', 'snap.licdn.com'] },
    ])
    await screen.findByText('Aguardando visita')
    // The line disappeared with its button: the focus stays at its pixel.
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Ver código: Insight' }))
    await person.click(screen.getByRole('button', { name: 'Desfazer' }))
    await screen.findByText('Permissão removida: px.ads.linkedin.com, snap.licdn.com')
    for (const host of ['px.ads.linkedin.com', 'snap.licdn.com'])
      expect(site.callsTo(`DELETE /admin/api/tags/${pixel.id}/hosts/${host}`)).toHaveLength(1)
  })

  test('outside of the catalogue are permitted one by one by full name, shared ones with a warning', async () => {
    const pixel = site.addPixel('Loja', { health: 'partial', reasons: [] })
    const vendor = { id: null, name: 'Nuvem' }
    site.overview.blocked_hosts = [
      makeBlocked('um.nuvem.example', { vendor, pixel_ids: [pixel.id] }),
      makeBlocked('cdn.jsdelivr.net', { vendor, permit: 'shared', pixel_ids: [pixel.id] }),
    ]
    const { person } = await openDashboard(site)
    await screen.findByText(/^Qualquer pessoa pode publicar arquivos em cdn\.jsdelivr\.net\./)
    expect(screen.queryByRole('button', { name: 'Permitir' })).toBeNull()
    await person.click(screen.getByRole('button', { name: 'Permitir um.nuvem.example' }))
    await screen.findByText('Domínio permitido: um.nuvem.example')
    expect(site.callsTo('POST /admin/api/blocked-hosts/allow')[0]?.body).toEqual({
      ids: ['um.nuvem.example'],
    })
    await screen.findByText('O site bloqueou o envio de Nuvem para cdn.jsdelivr.net.')
  })

  test('shows a refusal in the server’s words, and keeps the line', async () => {
    const pixel = site.addPixel('Insight', { health: 'partial' })
    stop(pixel, 'px.ads.linkedin.com')
    const message = 'Permita um domínio por vez e confira cada nome antes.'
    site.refuse('POST /admin/api/blocked-hosts/allow', 409, { error: 'permit_singly', message })
    const { person } = await openDashboard(site)
    await person.click(await screen.findByRole('button', { name: 'Permitir px.ads.linkedin.com' }))
    await screen.findByText(message)
    await screen.findByRole('button', { name: 'Permitir px.ads.linkedin.com' })
  })

  test('without a pixel are below the list, and are assigned to a chosen one', async () => {
    const pixel = site.addPixel('Chat', { health: 'waiting' })
    site.addPixel('Apagado', null, { is_active: false })
    // Of a deleted pixel, and of none.
    site.overview.blocked_hosts = [
      makeBlocked('um.example', { pixel_ids: ['gone'] }),
      makeBlocked('dois.example'),
    ]
    const { person } = await openDashboard(site)
    const region = within(await screen.findByRole('region', { name: 'Domínios bloqueados' }))
    const permit = region.getByRole('button', { name: 'Permitir dois.example' })
    await person.click(permit)
    expect(site.callsTo('POST /admin/api/blocked-hosts/allow')).toEqual([])
    const choice = region.getByLabelText('Escolha o pixel que pode usar dois.example')
    expect(within(choice).queryByRole('option', { name: 'Apagado' })).toBeNull()
    await person.selectOptions(choice, 'Chat')
    await person.click(permit)
    await screen.findByText('Domínio permitido: dois.example')
    expect(site.callsTo('POST /admin/api/blocked-hosts/allow')[0]?.body).toEqual({
      ids: ['dois.example'],
      pixel_id: pixel.id,
    })
    expect(document.activeElement?.textContent).toBe('Domínios bloqueados')
    await person.click(region.getByRole('button', { name: 'Ignorar bloqueio: um.example' }))
    await screen.findByText('Bloqueio ignorado: um.example')
    expect(screen.queryByRole('region', { name: 'Domínios bloqueados' })).toBeNull()
    expect(document.activeElement?.textContent).toBe('Gerenciar Pixels e Tags')
  })
})

describe('the panel of a pixel', () => {
  const HOSTS = 'GET /admin/api/tags/*/hosts'

  async function openPanel(name: string) {
    const { person } = await openDashboard(site)
    await person.click(await screen.findByRole('button', { name: `Ver código: ${name}` }))
    const panel = within(await screen.findByRole('region', { name: `Código para: ${name}` }))
    return { person, panel }
  }

  test('lists every reason, where the row has one', async () => {
    site.addPixel('Loja', {
      health: 'broken',
      reasons: [
        { code: 'nothing_sent', message: 'Nada saiu.' },
        { code: 'placeholder', message: 'Falta o ID.' },
      ],
    })
    const { panel } = await openPanel('Loja')
    await panel.findByText('Nada saiu.')
    await panel.findByText('Falta o ID.')
    await within(rowOf('Loja')).findByRole('button', { name: 'Ver mais 1 motivo' })
  })

  test('lists hosts and their origin, and revokes a permission after a question', async () => {
    site.addPixel('Hotjar', { health: 'working', confirmed: true })
    const by = 'ana@exemplo.com.br'
    site.hosts = [
      { host: 'static.hotjar.com', directive: 'script', source: 'code' },
      { host: '*.hotjar.io', directive: 'connect', source: 'vendor' },
      { host: '*.hotjar.io', directive: 'img', source: 'vendor' },
      { host: 'cdn.example', directive: 'script', source: 'permitted', by, at: '2026-11-15T14:20:00Z' },
    ]
    const { person, panel } = await openPanel('Hotjar')
    await panel.findByText('envio de dados e imagens, padrão da plataforma')
    await panel.findByText('scripts, está no código do pixel')
    await panel.findByText(/^scripts, permitido por ana@exemplo\.com\.br em 15\/11\/2026/)
    const revoke = panel.getAllByRole('button', { name: /^Remover permissão/ })
    expect(revoke.map((button) => button.getAttribute('aria-label'))).toEqual([
      'Remover permissão: cdn.example',
    ])
    await person.click(panel.getByRole('button', { name: 'Remover permissão: cdn.example' }))
    const question = within(
      await screen.findByRole('alertdialog', { name: 'Remover a permissão deste domínio?' }),
    )
    question.getByText('A partir da próxima visita, o site volta a bloquear cdn.example para Hotjar.')
    await person.click(question.getByRole('button', { name: 'Cancelar' }))
    expect(document.activeElement).toBe(panel.getByRole('button', { name: 'Remover permissão: cdn.example' }))
    await person.keyboard('{Enter}')
    await person.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Remover permissão' }),
    )
    await screen.findByText('Permissão removida: cdn.example')
    await waitFor(() => expect(panel.queryByText('cdn.example')).toBeNull())
    await panel.findByText('static.hotjar.com')
    expect(document.activeElement?.textContent).toBe('Domínios permitidos')
  })

  test('reports that hosts could not be loaded, and retries', async () => {
    site.addPixel('Hotjar', { health: 'waiting' })
    site.refuse(HOSTS, 500)
    const { person, panel } = await openPanel('Hotjar')
    await panel.findByText('Não foi possível carregar os domínios deste pixel.')
    site.answer(HOSTS, () => ({ hosts: [{ host: 'a.example', directive: 'img', source: 'code' }] }))
    await person.click(panel.getByRole('button', { name: 'Tentar novamente' }))
    await panel.findByText('a.example')
  })

  test('says for an inactive pixel that nothing is open', async () => {
    site.addPixel('Velho', null, { is_active: false })
    const { panel } = await openPanel('Velho')
    await panel.findByText('Nenhum enquanto o pixel estiver inativo.')
    panel.getByText('Fora do site')
  })
})
