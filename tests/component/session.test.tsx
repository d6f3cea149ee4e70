import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { openDashboard } from '../support/render-dashboard.tsx'
import { BIA, MARINA, makeLogin, makePixel, NOW, PASSWORD } from '../support/scripted-rows.ts'
import { ScriptedSite } from '../support/scripted-site.ts'

let site: ScriptedSite
beforeEach(() => {
  site = new ScriptedSite()
  site.pixels = [makePixel({ name: 'Meta' })]
})

/** Ended by somebody else: every call is refused until a sign-in. */
function endSession(): void {
  site.refuse('GET /auth/v1/user', 403, { code: 'session_not_found', msg: 'Session not found' })
  site.refuse('GET /admin/api/logins', 401, { error: 'session_not_found', message: 'x' })
}

test('another person who signs in over an ended session sees no data of the first', async () => {
  site.logins = [makeLogin('de-marina', { user_agent: 'Mozilla/5.0 (iPhone; CPU) Version/18 Safari/604.1' })]
  const { person } = await openDashboard(site, { path: '/admin/conta' })
  await screen.findByText('Safari no iPhone')
  endSession()
  document.dispatchEvent(new Event('visibilitychange'))
  const login = await screen.findByRole('dialog', { name: 'Sua sessão expirou' })
  const held = site.hold('GET /admin/api/logins')
  site.answer('GET /auth/v1/user', () => site.sessionOf(BIA).user)
  await person.clear(within(login).getByLabelText('Email'))
  await person.type(within(login).getByLabelText('Email'), BIA.email)
  await person.type(within(login).getByLabelText('Senha'), PASSWORD)
  await person.click(within(login).getByRole('button', { name: 'Entrar' }))
  await screen.findByText(`Conta: ${BIA.email}`)
  expect(screen.queryByText('Safari no iPhone')).toBeNull()
  await waitFor(() => expect(held).not.toEqual([]))
})

test('the same person finds their page unchanged', async () => {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Meta' }))
  await person.type(await screen.findByLabelText('Nome do Pixel'), ' rascunho')
  endSession()
  document.dispatchEvent(new Event('visibilitychange'))
  const login = await screen.findByRole('dialog', { name: 'Sua sessão expirou' })
  site.answer('GET /auth/v1/user', () => site.sessionOf(MARINA).user)
  // The field has the focus.
  expect(document.activeElement).toBe(within(login).getByLabelText('Senha'))
  await person.keyboard(`${PASSWORD}{Enter}`)
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Sua sessão expirou' })).toBeNull())
  expect((screen.getByLabelText('Nome do Pixel') as HTMLInputElement).value).toBe('Meta rascunho')
})

test('"Sair" without a server leaves at once, also with an expired token', async () => {
  const { person } = await openDashboard(site)
  await screen.findByRole('switch', { name: 'Ativo: Meta' })
  site.away = true
  vi.setSystemTime(new Date(Date.parse(NOW) + 2 * 3_600_000))
  await person.click(screen.getByRole('button', { name: 'Sair' }))
  await screen.findByRole('button', { name: 'Entrar' })
  await screen.findByText('Não foi possível encerrar sua sessão neste navegador.')
  // Pending requests must not open the dashboard again.
  site.away = false
  await vi.advanceTimersByTimeAsync(60_000)
  await screen.findByRole('button', { name: 'Entrar' })
  expect(screen.queryByRole('button', { name: 'Sair' })).toBeNull()
})

test('"Sair" calls the server once', async () => {
  const { person } = await openDashboard(site)
  await person.click(screen.getByRole('button', { name: 'Sair' }))
  await vi.waitFor(() => expect(site.callsTo('POST /auth/v1/logout')).toHaveLength(1), 30_000)
  const [call] = site.callsTo('POST /auth/v1/logout')
  expect(call?.query.get('scope')).toBe('local')
  expect(call?.headers.get('authorization')).toBe(`Bearer ${site.sessionOf(MARINA).access_token}`)
})

test.each(['focus', 'visibilitychange'])('notices a sign-out elsewhere on %s', async (event) => {
  await openDashboard(site)
  await screen.findByRole('switch', { name: 'Ativo: Meta' })
  endSession()
  // Two windows side by side are both visible: only the focus moves.
  ;(event === 'focus' ? window : document).dispatchEvent(new Event(event))
  await screen.findByRole('dialog', { name: 'Sua sessão expirou' })
})

test('keeps a typed email for "Esqueci minha senha", and back', async () => {
  const { person } = await openDashboard(site, { who: null })
  await person.type(screen.getByLabelText('Email'), 'ana@exemplo.com.br')
  await person.click(screen.getByRole('button', { name: 'Esqueci minha senha' }))
  expect((screen.getByLabelText('Email') as HTMLInputElement).value).toBe('ana@exemplo.com.br')
  await person.click(screen.getByRole('button', { name: 'Voltar ao login' }))
  expect((screen.getByLabelText('Email') as HTMLInputElement).value).toBe('ana@exemplo.com.br')
})

test('"Esqueci minha senha" announces a link and a code, and accepts the code', async () => {
  const { person } = await openDashboard(site, { who: null })
  await person.click(screen.getByRole('button', { name: 'Esqueci minha senha' }))
  screen.getByText('Digite seu e-mail. Vamos enviar um link e um código para criar uma nova senha.')
  await person.type(screen.getByLabelText('Email'), MARINA.email)
  await person.click(screen.getByRole('button', { name: 'Enviar e-mail' }))
  await screen.findByRole('heading', { name: 'Confira seu e-mail' })
  await screen.findByText(/Abra o link ou digite o código aqui\./)
  screen.getByLabelText('Código enviado por e-mail')
})

test('"Esqueci minha senha" announces no email where none can be sent', async () => {
  const { person } = await openDashboard(site, { who: null, canMail: false })
  await person.click(screen.getByRole('button', { name: 'Esqueci minha senha' }))
  screen.getByText(/^Este painel ainda não envia e-mails\. Peça a outro usuário/)
  await person.type(screen.getByLabelText('Email'), MARINA.email)
  await person.click(screen.getByRole('button', { name: 'Registrar pedido' }))
  await screen.findByRole('heading', { name: 'Peça o código à equipe de TI' })
  expect(document.body.textContent).not.toMatch(/[Vv]amos enviar|você vai receber|spam/)
})

test('asks for a second factor that was activated elsewhere, instead of refusing access', async () => {
  await openDashboard(site)
  await screen.findByRole('switch', { name: 'Ativo: Meta' })
  site.factors = [{ id: 'f1', status: 'verified', factor_type: 'totp', friendly_name: 'Celular' }]
  site.refuse('GET /rest/v1/admin_users', 403, {
    code: '42501',
    message: 'permission denied for table admin_users',
    hint: 'A session of level aal2 is required.',
    details: null,
  })
  window.dispatchEvent(new Event('focus'))
  await screen.findByText(/^Use a verificação em duas etapas\./)
  expect(
    screen.queryByText('Sua conta não tem acesso administrativo. Peça acesso a um administrador.'),
  ).toBeNull()
})

test('tells a person who lost the role', async () => {
  await openDashboard(site)
  await screen.findByRole('switch', { name: 'Ativo: Meta' })
  site.answer('GET /rest/v1/admin_users', () => [])
  window.dispatchEvent(new Event('focus'))
  await screen.findByText('Sua conta não tem acesso administrativo. Peça acesso a um administrador.')
})

test('removes the message about an ended session after the next sign-in', async () => {
  const { person } = await openDashboard(site)
  await person.click(await screen.findByRole('button', { name: 'Editar: Meta' }))
  await person.type(await screen.findByLabelText('Nome do Pixel'), ' 2')
  const ended = { code: 'PGRST301', message: 'JWT expired', details: null, hint: null }
  site.refuse('PATCH /rest/v1/tracking_pixels', 401, ended)
  endSession()
  await person.click(screen.getByRole('button', { name: 'Salvar' }))
  const login = await screen.findByRole('dialog', { name: 'Sua sessão expirou' })
  site.answer('GET /auth/v1/user', () => site.sessionOf(MARINA).user)
  site.answer('PATCH /rest/v1/tracking_pixels', () => site.pixels)
  await waitFor(() => expect(document.activeElement).toBe(within(login).getByLabelText('Senha')))
  await person.keyboard(`${PASSWORD}{Enter}`)
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Sua sessão expirou' })).toBeNull())
  expect(screen.queryByText(/Sua sessão expirou/)).toBeNull()
  await screen.findByText('Você entrou de novo, mas a ação anterior não foi feita. Tente novamente.')
  expect(screen.getByLabelText<HTMLInputElement>('Nome do Pixel').value).toBe('Meta 2')
})
