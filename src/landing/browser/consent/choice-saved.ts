/** Said to screen readers once the banner is gone. In a file of its own: the boot script carries it. */
export const CHOICE_SAVED = 'Escolha salva. Você pode mudá-la no rodapé.'
