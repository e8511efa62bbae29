// A dialog over the page: it holds the focus, Escape closes it, and the focus goes back to where it was.
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { IconButton } from "./Button";

export function Dialog({ title, open, onClose, children, wide, alert }: {
  title: string;
  open: boolean;
  onClose: () => void;
  children: React.ReactNode;
  wide?: boolean;
  alert?: boolean;
}) {
  return (
    <ModalOverlay className="overlay" isOpen={open} onOpenChange={(is) => !is && onClose()} isDismissable={!alert}>
      <Modal className={wide ? "modal wide" : "modal"}>
        <AriaDialog className="dialog" role={alert ? "alertdialog" : "dialog"}>
          <header>
            <Heading slot="title">{title}</Heading>
            <IconButton name="Close" icon="cross" onClick={onClose} />
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
