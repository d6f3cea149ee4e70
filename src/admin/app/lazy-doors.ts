import { lazyPart, loadWhenIdle } from '../components/lazy-part.ts'

const LOADERS = {
  login: async () => (await import('../features/session/components/login-screen.tsx')).LoginScreen,
  code: async () => (await import('../features/session/components/code-screen.tsx')).CodeScreen,
  link: async () => (await import('../features/session/components/link-screen.tsx')).LinkScreen,
  ended: async () =>
    (await import('../features/session/components/session-ended-dialog.tsx')).SessionEndedDialog,
}

/** The ways in, with their forms: whoever comes with a session needs none of them at first. */
export const LoginScreen = lazyPart(LOADERS.login)
export const CodeScreen = lazyPart(LOADERS.code)
export const LinkScreen = lazyPart(LOADERS.link)
/** Made anew for each try: what did not come once would never come again. */
export const makeSessionEndedDialog = () => lazyPart(LOADERS.ended)

/** Before they are needed: when a session ends, the server may be out of reach. */
export const loadDoorsWhenIdle = () => loadWhenIdle(LOADERS)
