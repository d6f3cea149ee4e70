import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES } from '../support/engines.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { type AuthKeys, readKeys } from './auth-keys.ts'

const META = { name: 'Meta Pixel Principal', type: 'meta', pixel_id: '482910377165024', code: '<b>1</b>' }
const BIA = { email: 'bia@exemplo.com.br', password: 'janela-verde-oceano-41', role: 'admin' }

/** Every call of the data API that an existing client makes, through the unmodified official clients. */
describe.each(ENGINES)('the data service through the official client on %s', (engine) => {
  let site: TestApp
  let keys: AuthKeys
  let admin: SupabaseClient
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true })
    keys = await readKeys(site)
    admin = await signIn(PRINCIPAL)
  })
  afterAll(() => site.close())

  const open = (key: string) =>
    createClient(site.url, key, { auth: { persistSession: false, autoRefreshToken: false } })
  const signIn = async (credentials: { email: string; password: string }) => {
    const client = open(keys.anon)
    const { error } = await client.auth.signInWithPassword(credentials)
    expect(error).toBeNull()
    return client
  }

  test('lists, saves, toggles and deletes pixels', async () => {
    const empty = await admin.from('tracking_pixels').select('*').order('created_at', { ascending: false })
    expect(empty).toMatchObject({ data: [], error: null, status: 200 })

    const inserted = await admin.from('tracking_pixels').insert([{ ...META, is_active: true }])
    expect(inserted).toMatchObject({ data: null, error: null, status: 201 })
    const second = await admin
      .from('tracking_pixels')
      .insert({ name: 'Outro', type: 'custom', pixel_id: '', code: '', is_active: false })
      .select()
      .single()
    expect(second).toMatchObject({ error: null, status: 201, data: { name: 'Outro', pixel_id: null } })

    const listed = await admin
      .from('tracking_pixels')
      .select('*', { count: 'exact' })
      .order('created_at', { ascending: false })
    expect(listed.count).toBe(2)
    expect(listed.data?.map((row) => row.name)).toEqual(['Outro', META.name])

    const id = listed.data?.[1]?.id
    expect(await admin.from('tracking_pixels').update({ is_active: false }).eq('id', id)).toMatchObject({
      error: null,
      status: 204,
    })
    const read = await admin.from('tracking_pixels').select('id,is_active').eq('id', id).single()
    expect(read.data).toEqual({ id, is_active: false })

    const saved = await admin
      .from('tracking_pixels')
      .update({ ...META, name: 'Renomeado', is_active: true })
      .eq('id', id)
      .select()
    expect(saved.data).toMatchObject([{ id, name: 'Renomeado', is_active: true }])

    expect(await admin.from('tracking_pixels').delete().eq('id', id)).toMatchObject({
      error: null,
      status: 204,
    })
    const gone = await admin.from('tracking_pixels').select('*').eq('id', id).maybeSingle()
    expect(gone).toMatchObject({ data: null, error: null })
  })

  test('filters, pages, counts, upserts and limits affected rows', async () => {
    await admin.from('tracking_pixels').delete().not('id', 'is', null)
    const names = ['Ágata', 'água', 'Boto', 'caju, doce', 'dendê (50%)']
    const made = await admin
      .from('tracking_pixels')
      .insert(names.map((name, index) => ({ name, type: 'custom', is_active: index % 2 === 0 })))
      .select('id,name')
    expect(made.data?.map((row) => row.name)).toEqual(names)
    const pixels = () => admin.from('tracking_pixels').select('name')
    const namesOf = async (query: PromiseLike<{ data: { name: string }[] | null; error: unknown }>) => {
      const { data, error } = await query
      expect(error).toBeNull()
      return data?.map((row) => row.name).toSorted()
    }
    expect(await namesOf(pixels().ilike('name', 'á%'))).toEqual(['Ágata', 'água'])
    expect(await namesOf(pixels().like('name', 'á%'))).toEqual(['água'])
    expect(await namesOf(pixels().in('name', ['caju, doce', 'dendê (50%)', 'x']))).toEqual([
      'caju, doce',
      'dendê (50%)',
    ])
    expect(await namesOf(pixels().or('name.eq."caju, doce",name.eq.Boto'))).toEqual(['Boto', 'caju, doce'])
    expect(await namesOf(pixels().match({ is_active: false }))).toEqual(['caju, doce', 'água'])
    expect(await namesOf(pixels().is('pixel_id', null).neq('name', 'Boto').gt('name', 'c'))).toHaveLength(4)

    const page = await admin
      .from('tracking_pixels')
      .select('name', { count: 'exact' })
      .order('name')
      .range(1, 2)
    expect(page).toMatchObject({ status: 206, count: 5 })
    expect(page.data?.map((row) => row.name)).toEqual(['caju, doce', 'dendê (50%)'])
    const head = await admin.from('tracking_pixels').select('*', { count: 'exact', head: true })
    expect(head).toMatchObject({ count: 5, data: null, error: null })

    const first = made.data?.[0]
    const upserted = await admin
      .from('tracking_pixels')
      .upsert({ id: first?.id, name: 'Novo nome', type: 'custom' })
      .select()
      .single()
    expect(upserted.data).toMatchObject({ id: first?.id, name: 'Novo nome' })

    const tooMany = await admin.from('tracking_pixels').delete().eq('type', 'custom').maxAffected(2)
    expect(tooMany).toMatchObject({ error: { code: 'PGRST124' } })
    const several = await admin.from('tracking_pixels').select('*').single()
    expect(several).toMatchObject({ status: 406, error: { code: 'PGRST116' } })
    const csv = await admin.from('tracking_pixels').select('name').eq('name', 'Boto').csv()
    expect(csv.data).toBe('name\nBoto')
  })

  test('lists, creates, edits and deletes admins, and changes the account at once', async () => {
    const columns = 'id, email, role, created_at'
    const created = await admin.from('admin_users').insert(BIA).select(columns).single()
    expect(created).toMatchObject({ status: 201, data: { email: BIA.email, role: 'admin' } })
    const id = created.data?.id
    const listed = await admin.from('admin_users').select(columns).order('created_at', { ascending: false })
    expect(listed.data?.map((row) => row.email)).toEqual([BIA.email, PRINCIPAL.email])

    const bia = await signIn(BIA)
    expect((await bia.from('tracking_pixels').select('id')).error).toBeNull()
    const edit = { email: 'bia.nova@exemplo.com.br', role: 'super_admin', password: 'trilho-pedra-nuvem-77' }
    expect((await admin.from('admin_users').update(edit).eq('id', id)).error).toBeNull()
    const revoked = await bia.from('tracking_pixels').select('id')
    expect(revoked).toMatchObject({ status: 401, error: { code: 'PGRST301' } })

    const again = await signIn(edit)
    const own = { password: 'farol-seda-limoeiro-93' }
    const unproved = await again.from('admin_users').update(own).eq('id', id)
    expect(unproved).toMatchObject({ status: 400, error: { code: 'current_password_required' } })
    const proved = { ...own, current_password: edit.password }
    expect((await again.from('admin_users').update(proved).eq('id', id)).error).toBeNull()
    expect((await again.from('tracking_pixels').select('id')).error).toBeNull()

    expect((await admin.from('admin_users').delete().eq('id', id)).error).toBeNull()
    expect((await again.from('tracking_pixels').select('id')).status).toBe(401)
    const login = await open(keys.anon).auth.signInWithPassword({
      ...edit,
      password: 'farol-seda-limoeiro-93',
    })
    expect(login.error?.code).toBe('invalid_credentials')
  })

  test('rejects a token of another key and a token cut short with 401', async () => {
    const ofAnotherKey = 'eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.x'
    for (const token of [ofAnotherKey, keys.service.slice(0, -3)]) {
      const client = createClient(site.url, keys.anon, { accessToken: async () => token })
      const answer = await client.from('tracking_pixels').select()
      expect(answer).toMatchObject({ status: 401, error: { code: 'PGRST301' } })
    }
  })

  test('reports errors as the protocol does', async () => {
    const taken = await admin.from('admin_users').insert({ ...BIA, email: PRINCIPAL.email })
    expect(taken).toMatchObject({ status: 409, error: { code: '23505' } })
    const weak = await admin.from('admin_users').insert({ ...BIA, password: 'abc' })
    expect(weak.error).toMatchObject({ code: 'weak_password', details: 'length' })
    const removed = await admin.from('admin_users').delete().eq('email', PRINCIPAL.email)
    expect(removed.error?.message).toBe('Não é possível excluir o usuário administrador principal.')
    const demoted = await open(keys.service)
      .from('admin_users')
      .update({ role: 'admin' })
      .eq('email', PRINCIPAL.email)
    expect(demoted).toMatchObject({ status: 403, error: { code: 'principal_admin_protected' } })
    const column = await admin.from('admin_users').select('password_hash')
    expect(column.error).toMatchObject({ code: '42703' })
    const table = await admin.from('nope').select()
    expect(table).toMatchObject({ status: 404, error: { code: 'PGRST205' } })
    const schema = await admin.schema('auth').from('admin_users').select()
    expect(schema).toMatchObject({ status: 406, error: { code: 'PGRST106' } })
    const all = await admin.from('tracking_pixels').delete()
    expect(all.error).toMatchObject({ code: '21000' })
  })

  test('refuses the public key, and accepts a service key', async () => {
    const guest = open(keys.anon)
    expect(await guest.from('tracking_pixels').select()).toMatchObject({
      status: 401,
      error: { code: '42501' },
    })
    expect(await guest.from('tracking_pixels').insert(META)).toMatchObject({ status: 401 })
    const service = open(keys.service)
    expect(await service.from('tracking_pixels').insert(META)).toMatchObject({ status: 201 })
    expect((await service.from('admin_users').select()).data).toHaveLength(1)
  })
})
